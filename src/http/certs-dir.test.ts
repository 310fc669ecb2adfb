import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { loadCertsDir } from './certs-dir.ts';

async function folderWith(root: string, host: string, files: Record<string, string>) {
  await mkdir(join(root, host), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, host, name), text);
}

test('loadCertsDir reads CAs and client pairs of exactly that host and port', async () => {
  const certsDir = await tempDir();
  await folderWith(certsDir, 'mirror.local:8443', {
    'b.crt': 'CA B',
    'a.crt': 'CA A',
    'client.cert': 'CERT',
    'client.key': 'KEY',
    README: 'ignored',
  });

  expect(await loadCertsDir('mirror.local:8443', { certsDir })).toEqual({
    ca: ['CA A', 'CA B'],
    clients: [{ cert: 'CERT', key: 'KEY' }],
  });
  expect(await loadCertsDir('mirror.local', { certsDir })).toEqual({ ca: [], clients: [] });
});

test("loadCertsDir looks into the user's folder first", async () => {
  const home = await tempDir();
  await folderWith(join(home, '.config', 'containers', 'certs.d'), 'quay.test', { 'x.crt': 'X' });

  expect(await loadCertsDir('quay.test', { env: { HOME: home } })).toEqual({
    ca: ['X'],
    clients: [],
  });
});

test('loadCertsDir passes over a link to a CA that is not installed', async () => {
  const certsDir = await tempDir();
  await folderWith(certsDir, 'quay.test', { 'x.crt': 'X' });
  await symlink('/nonexistent/rhsm.pem', join(certsDir, 'quay.test', 'redhat-ca.crt'));

  expect((await loadCertsDir('quay.test', { certsDir })).ca).toEqual(['X']);
});

test.each([
  ['client.cert', 'client.key'],
  ['client.key', 'client.cert'],
])('loadCertsDir refuses %s without %s', async (present, absent) => {
  const certsDir = await tempDir();
  await folderWith(certsDir, 'h', { [present]: 'PEM' });

  await expect(loadCertsDir('h', { certsDir })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining(absent) as string,
  });
});
