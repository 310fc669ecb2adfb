import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { toYaml } from '../../core/yaml.ts';
import { readKubeconfig, usualKubeconfig } from './kubeconfig.ts';

const now = new Date('2026-06-01T00:00:00Z');

async function kubeconfig(user: object, cluster: object = {}): Promise<string> {
  const file = join(await tempDir(), 'kubeconfig');
  const text = toYaml({
    'current-context': 'admin',
    preferences: {},
    contexts: [{ name: 'admin', context: { cluster: 'c', user: 'u', namespace: 'default' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://api.example:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  });
  await writeFile(file, text);
  return file;
}

test('readKubeconfig reads token, CA, proxy and name', async () => {
  const ca = Buffer.from('a PEM').toString('base64');
  const file = await kubeconfig(
    { token: 'secret-token' },
    {
      'certificate-authority-data': ca,
      'proxy-url': 'http://proxy.example:3128',
      'tls-server-name': 'api-int.example',
    },
  );

  const access = await readKubeconfig(file, { now });

  expect(access).toMatchObject({
    token: 'secret-token',
    ca: 'a PEM',
    verify: true,
    serverName: 'api-int.example',
  });
  expect([access.server.host, access.proxy?.host]).toEqual([
    'api.example:6443',
    'proxy.example:3128',
  ]);
});

test('readKubeconfig reads the files that it names beside itself', async () => {
  const file = await kubeconfig({ tokenFile: 'token' });
  await writeFile(join(file, '..', 'token'), 'from-a-file\n');

  expect(await readKubeconfig(file, { now })).toMatchObject({ token: 'from-a-file' });
});

test.each([
  [{ exec: { command: 'aws-login' } }, 'it starts "aws-login" to log in'],
  [{ 'auth-provider': { name: 'oidc' } }, 'it logs in by "oidc"'],
  [{ username: 'a', password: 'b' }, 'it logs in with a password'],
  [{ as: 'root', token: 'x' }, 'it acts as "root"'],
])('readKubeconfig refuses %j', async (user, words) => {
  const reading = readKubeconfig(await kubeconfig(user), { now });

  await expect(reading).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining(words),
  });
});

test('readKubeconfig names the contexts that there are', async () => {
  const file = await kubeconfig({});

  await expect(readKubeconfig(file, { now, context: 'b' })).rejects.toMatchObject({
    message: expect.stringContaining('no context "b"'),
    hint: expect.stringContaining('admin'),
  });
});

test('readKubeconfig says where the installer leaves one when there is none', async () => {
  await expect(readKubeconfig('/nowhere/kubeconfig', { now })).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    hint: expect.stringContaining('auth/kubeconfig'),
  });
});

test('usualKubeconfig is the one that oc takes', () => {
  expect(usualKubeconfig({ KUBECONFIG: '/a/b', HOME: '/root' })).toBe('/a/b');
  expect(usualKubeconfig({ HOME: '/root' })).toBe('/root/.kube/config');
});

test('readKubeconfig reads a list as oc does: the first to name something counts, paths start at their own file', async () => {
  const [here, there] = [await tempDir(), await tempDir()];
  await writeFile(join(there, 'token'), 'a-token-of-there');
  await writeFile(
    join(here, 'one'),
    toYaml({ contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }] }),
  );
  await writeFile(
    join(there, 'two'),
    toYaml({
      'current-context': 'c',
      clusters: [{ name: 'k', cluster: { server: 'https://api.example:6443' } }],
      users: [{ name: 'u', user: { tokenFile: 'token' } }],
    }),
  );
  const list = [join(here, 'one'), join(here, 'gone'), join(there, 'two')].join(delimiter);

  expect(usualKubeconfig({ KUBECONFIG: list })).toBe(list);
  expect(await readKubeconfig(list, { now: new Date() })).toMatchObject({
    context: 'c',
    server: new URL('https://api.example:6443'),
    token: 'a-token-of-there',
  });
});
