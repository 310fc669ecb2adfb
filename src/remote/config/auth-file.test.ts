import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { forgetSecrets, redact } from '../../core/redact.ts';
import { loadAuthFiles } from './auth-file.ts';

afterEach(forgetSecrets);

const auth = (user: string, password = `password-of-${user}`) => ({
  auth: Buffer.from(`${user}:${password}`).toString('base64'),
});

async function put(path: string, content: unknown): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function userFor(authfile: string, registry: string, repository: string) {
  const lookup = await loadAuthFiles({ authfile, env: {} });
  const found = await lookup.credentialFor(registry, repository);
  return found?.username;
}

test('loadAuthFiles prefers the longest path that matches whole parts', async () => {
  const authfile = await put(join(await tempDir(), 'auth.json'), {
    auths: {
      'quay.io': auth('host'),
      'quay.io/org': auth('org'),
      'quay.io/org/repo': auth('repo'),
    },
  });

  expect(await userFor(authfile, 'quay.io', 'org/repo')).toBe('repo');
  expect(await userFor(authfile, 'quay.io', 'org/other/deep')).toBe('org');
  expect(await userFor(authfile, 'quay.io', 'organisation/repo')).toBe('host');
  expect(await userFor(authfile, 'quay.io:443', 'org/repo')).toBeUndefined();
});

test.each(['https://index.docker.io/v1/', 'docker.io', 'index.docker.io', 'registry-1.docker.io'])(
  'loadAuthFiles finds Docker Hub under the key %s',
  async (key) => {
    const authfile = await put(join(await tempDir(), 'auth.json'), {
      auths: { [key]: auth('hub') },
    });

    expect(await userFor(authfile, 'docker.io', 'library/busybox')).toBe('hub');
  },
);

test('loadAuthFiles reads the usual files in order and takes the first that knows', async () => {
  const home = await tempDir();
  const env = { HOME: home, XDG_RUNTIME_DIR: join(home, 'run') };
  await put(join(home, 'run/containers/auth.json'), { auths: { 'a.test': auth('runtime') } });
  await put(join(home, '.config/containers/auth.json'), {
    auths: { 'a.test': auth('config'), 'b.test': auth('config') },
  });
  await put(join(home, '.docker/config.json'), {
    auths: { 'b.test': auth('docker'), 'c.test': auth('docker') },
  });
  await put(join(home, '.dockercfg'), { 'https://d.test/v1/': auth('legacy') });

  const lookup = await loadAuthFiles({ env });
  const users = await Promise.all(
    ['a.test', 'b.test', 'c.test', 'd.test', 'e.test'].map(
      async (host) => (await lookup.credentialFor(host, 'x'))?.username,
    ),
  );

  expect(users).toEqual(['runtime', 'config', 'docker', 'legacy', undefined]);
});

test('loadAuthFiles reads nothing else when a file is named', async () => {
  const home = await tempDir();
  await put(join(home, '.docker/config.json'), { auths: { 'a.test': auth('docker') } });
  const named = await put(join(home, 'pull-secret.json'), { auths: {} });

  const byEnv = await loadAuthFiles({ env: { HOME: home, REGISTRY_AUTH_FILE: named } });

  expect(await byEnv.credentialFor('a.test', 'x')).toBeUndefined();
  await expect(loadAuthFiles({ authfile: join(home, 'absent.json') })).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
  });
});

test('loadAuthFiles does not look into a file when one before it knows', async () => {
  const home = await tempDir();
  await put(join(home, '.config/containers/auth.json'), { auths: { 'a.test': auth('config') } });
  await put(join(home, '.docker/config.json'), 'broken');
  const lookup = await loadAuthFiles({ env: { HOME: home, XDG_RUNTIME_DIR: home } });

  expect((await lookup.credentialFor('a.test', 'x'))?.username).toBe('config');
  await expect(lookup.credentialFor('b.test', 'x')).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
});

test('loadAuthFiles goes on with the next file after an entry that is empty', async () => {
  const home = await tempDir();
  await put(join(home, '.config/containers/auth.json'), {
    auths: {
      'a.test': auth('host'),
      'a.test/public': {},
      'a.test/void': { auth: Buffer.from(':').toString('base64') },
      'a.test/null': null,
      'a.test/nulls': { auth: null, identitytoken: null },
    },
    credsStore: null,
  });
  await put(join(home, '.docker/config.json'), { auths: { 'a.test/void': auth('docker') } });
  const lookup = await loadAuthFiles({ env: { HOME: home, XDG_RUNTIME_DIR: home } });
  const userOf = async (repository: string) =>
    (await lookup.credentialFor('a.test', repository))?.username;

  expect(await userOf('private/x')).toBe('host');
  expect(await userOf('public/x')).toBeUndefined();
  expect(await userOf('void/x')).toBe('docker');
  expect(await userOf('null')).toBeUndefined();
  expect(await userOf('nulls/x')).toBeUndefined();
});

test('loadAuthFiles honours DOCKER_CONFIG', async () => {
  const home = await tempDir();
  await put(join(home, 'elsewhere/config.json'), { auths: { 'a.test': auth('else') } });

  const lookup = await loadAuthFiles({
    env: { HOME: home, XDG_RUNTIME_DIR: home, DOCKER_CONFIG: join(home, 'elsewhere') },
  });

  expect((await lookup.credentialFor('a.test', 'x'))?.username).toBe('else');
});

test('loadAuthFiles understands identity tokens, plain fields and colons in passwords', async () => {
  const authfile = await put(join(await tempDir(), 'auth.json'), {
    auths: {
      'token.test': { ...auth('me', ''), identitytoken: 'refresh-token-value' },
      'plain.test': { username: 'u', password: 'plain-secret' },
      'colon.test': auth('u', 'a:b:c-long'),
      'empty.test': {},
    },
  });
  const lookup = await loadAuthFiles({ authfile });

  expect(await lookup.credentialFor('token.test', 'x')).toEqual({
    kind: 'identity',
    username: 'me',
    token: 'refresh-token-value',
  });
  expect(await lookup.credentialFor('plain.test', 'x')).toMatchObject({ password: 'plain-secret' });
  expect(await lookup.credentialFor('colon.test', 'x')).toMatchObject({ password: 'a:b:c-long' });
  expect(await lookup.credentialFor('empty.test', 'x')).toBeUndefined();
  expect(redact('refresh-token-value plain-secret a:b:c-long')).toBe(
    '[redacted] [redacted] [redacted]',
  );
});

test.each([
  ['{"auths": {"a.test": {"auth": "aHVzaDpodXNo" ]}}', 'line 1, column'],
  ['{"auths": []}', 'auths'],
  ['{"auths": {"a.test": {"auth": "bm90LWEtcGFpcg=="}}}', 'a.test'],
])('loadAuthFiles names the file and the place of %s', async (text, place) => {
  const authfile = await put(join(await tempDir(), 'auth.json'), text);

  const failure = await loadAuthFiles({ authfile }).catch((error: unknown) => error);

  expect(failure).toMatchObject({ code: 'INPUT_INVALID' });
  expect(String(failure)).toContain(authfile);
  expect(String(failure)).toContain(place);
  expect(String(failure)).not.toContain('aHVzaDpodXNo');
});

async function withHelper(script: string) {
  const bin = await tempDir();
  const path = await put(join(bin, 'docker-credential-fake'), `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: bin,
    XDG_RUNTIME_DIR: bin,
    TRACE: join(bin, 'trace'),
  };
}

test('loadAuthFiles asks the credential helper of a registry, once, by stdin', async () => {
  const env = await withHelper(
    'server=$(cat); echo "$1 $server" >> "$TRACE"; echo "{\\"Username\\":\\"u\\",\\"Secret\\":\\"from-$server\\"}"',
  );
  await put(join(env.HOME, '.docker/config.json'), {
    auths: { 'a.test/org': auth('inline') },
    credHelpers: { 'a.test': 'fake' },
  });
  const lookup = await loadAuthFiles({ env });

  expect(await lookup.credentialFor('a.test', 'org/x')).toEqual({
    kind: 'basic',
    username: 'u',
    password: 'from-a.test',
  });
  await lookup.credentialFor('a.test', 'other');
  expect(redact('from-a.test')).toBe('[redacted]');
  expect(await readFile(env.TRACE, 'utf8')).toBe('get a.test\n');
});

test('loadAuthFiles asks the credential store for what the file leaves out', async () => {
  const env = await withHelper(
    'case $(cat) in https://index.docker.io/v1/) echo \'{"Username":"<token>","Secret":"identity-tok"}\';; *) echo "credentials not found in native keychain"; exit 1;; esac',
  );
  await put(join(env.HOME, '.docker/config.json'), {
    auths: { 'https://index.docker.io/v1/': {}, 'inline.test': auth('inline') },
    credsStore: 'fake',
  });
  const lookup = await loadAuthFiles({ env });

  expect(await lookup.credentialFor('docker.io', 'library/x')).toEqual({
    kind: 'identity',
    token: 'identity-tok',
  });
  expect((await lookup.credentialFor('inline.test', 'x'))?.username).toBe('inline');
  expect(await lookup.credentialFor('other.test', 'x')).toBeUndefined();
});

test('loadAuthFiles goes without a credential store that is not installed', async () => {
  const home = await tempDir();
  const env = { HOME: home, XDG_RUNTIME_DIR: home, PATH: home };
  await put(join(home, '.docker/config.json'), { credsStore: 'desktop' });
  await put(join(home, '.dockercfg'), { 'legacy.test': auth('legacy') });
  const lookup = await loadAuthFiles({ env });

  expect(await lookup.credentialFor('public.test', 'x')).toBeUndefined();
  expect((await lookup.credentialFor('legacy.test', 'x'))?.username).toBe('legacy');
});

test('loadAuthFiles tells a helper that failed from one that is missing', async () => {
  const env = await withHelper('echo "keychain is locked" >&2; exit 2');
  await put(join(env.HOME, '.docker/config.json'), {
    credHelpers: { 'a.test': 'fake', 'b.test': 'absent', 'c.test': '../evil' },
  });
  const lookup = await loadAuthFiles({ env });

  await expect(lookup.credentialFor('a.test', 'x')).rejects.toMatchObject({
    code: 'PROGRAM_FAILED',
    message: expect.stringContaining('keychain is locked') as string,
  });
  await expect(lookup.credentialFor('b.test', 'x')).rejects.toMatchObject({
    code: 'PROGRAM_MISSING',
  });
  await expect(lookup.credentialFor('c.test', 'x')).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
});

test('loadAuthFiles asks the helpers of registries.conf in their order', async () => {
  const env = await withHelper(
    'case $(cat) in known.test) echo \'{"Username":"u","Secret":"from-helper"}\';; locked.test) echo locked; exit 1;; *) echo "credentials not found in native keychain"; exit 1;; esac',
  );
  await put(join(env.HOME, '.docker/config.json'), {
    auths: {
      'known.test': auth('file'),
      'other.test': auth('file'),
      'locked.test/x': auth('file'),
    },
  });
  const helpersFirst = await loadAuthFiles({
    env,
    credentialHelpers: ['fake', 'containers-auth.json'],
  });
  const filesFirst = await loadAuthFiles({
    env,
    credentialHelpers: ['containers-auth.json', 'fake'],
  });
  const filesOnly = await loadAuthFiles({ env, credentialHelpers: [] });
  const helperOnly = await loadAuthFiles({ env, credentialHelpers: ['fake'] });

  expect((await helpersFirst.credentialFor('known.test', 'x'))?.username).toBe('u');
  expect((await helpersFirst.credentialFor('other.test', 'x'))?.username).toBe('file');
  expect((await helpersFirst.credentialFor('locked.test', 'x'))?.username).toBe('file');
  expect((await filesFirst.credentialFor('known.test', 'x'))?.username).toBe('file');
  expect((await filesOnly.credentialFor('known.test', 'x'))?.username).toBe('file');
  expect(await helperOnly.credentialFor('other.test', 'x')).toBeUndefined();
  await expect(helpersFirst.credentialFor('locked.test', 'y')).rejects.toMatchObject({
    code: 'PROGRAM_FAILED',
  });
});

test('loadAuthFiles does not repeat what a helper printed when it is no answer', async () => {
  const env = await withHelper('cat > /dev/null; echo "top-secret-word"');
  await put(join(env.HOME, '.docker/config.json'), { credHelpers: { 'a.test': 'fake' } });
  const lookup = await loadAuthFiles({ env });

  const failure = await lookup.credentialFor('a.test', 'x').catch((error: unknown) => error);

  expect(failure).toMatchObject({ code: 'PROGRAM_FAILED' });
  expect(String(failure)).not.toContain('top-secret-word');
});
