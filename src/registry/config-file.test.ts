import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { AtollError } from '../core/errors.ts';
import { readConfigFile } from './config-file.ts';

const WHOLE = `
storage:
  path: data
listeners:
  - address: 0.0.0.0:8443
    tls: { certificate: tls/server.crt, key: tls/server.key }
  - address: "[::1]:6001"
    upstream: quay.io
auth:
  htpasswd: htpasswd
  grants: grants.yaml
accessLog: access.log
workers: 2
limits:
  minFree: 2GiB
  idleSeconds: 30
`;

async function read(text: string) {
  const folder = await tempDir();
  const path = join(folder, 'config.yaml');
  await writeFile(path, text);
  return { folder, path, config: readConfigFile(path) };
}

test('readConfigFile makes paths absolute and sizes bytes', async () => {
  const { folder, config } = await read(WHOLE);

  expect(await config).toEqual({
    storage: { path: join(folder, 'data') },
    listeners: [
      {
        address: { host: '0.0.0.0', port: 8443 },
        tls: { certificate: join(folder, 'tls/server.crt'), key: join(folder, 'tls/server.key') },
      },
      { address: { host: '::1', port: 6001 }, upstream: 'quay.io' },
    ],
    auth: {
      htpasswd: join(folder, 'htpasswd'),
      grants: join(folder, 'grants.yaml'),
      anonymousPull: false,
    },
    accessLog: join(folder, 'access.log'),
    readOnly: false,
    workers: 2,
    limits: { minFreeBytes: 2 * 1024 ** 3, idleMs: 30_000 },
  });
});

test('readConfigFile refuses to keep the last 0 tags, which would be to remove all', async () => {
  const { config } = await read(`${WHOLE}retention:\n  - { repositories: "ci/*", keepLast: 0 }\n`);

  await expect(config).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringContaining('must be 1 or more: 0 would remove every tag'),
  });
});

test('readConfigFile reads a truncated file as a mistake in it, or as a shorter file', async () => {
  for (let length = 0; length < WHOLE.length; length += 7) {
    const { path, config } = await read(WHOLE.slice(0, length));
    const outcome = await config.catch((error: unknown) => error);
    if (!(outcome instanceof Error)) continue;
    expect(outcome).toBeInstanceOf(AtollError);
    expect(outcome).toMatchObject({ code: 'INPUT_INVALID' });
    expect(outcome.message).toContain(path);
  }
});

test.each([
  ['listeners: [{ address: here }]', 'must be HOST:PORT'],
  ['listeners: [{ address: "a:99999" }]', 'must be HOST:PORT'],
  ['listeners: [{ address: "a:1", upstreem: quay.io }]', 'did you mean "upstream"?'],
  ['listeners: [{ address: "a:1", upstream: "https://quay.io" }]', 'must be a registry host'],
  ['listeners: []', 'must name at least one address'],
  ['limits: { minFree: much }', 'must be a size'],
])('readConfigFile explains %s', async (line, words) => {
  const others = line.startsWith('listeners') ? '' : 'listeners: [{ address: "a:1" }]\n';
  const { config } = await read(`storage: { path: data }\n${others}${line}\n`);

  await expect(config).rejects.toThrow(words);
});

test('readConfigFile wants a disk or a bucket, and not both', async () => {
  for (const storage of ['{}', '{ path: data, s3: { bucket: b } }']) {
    const { config } = await read(`storage: ${storage}\nlisteners: [{ address: "a:1" }]\n`);
    await expect(config).rejects.toThrow('must have "path" or "s3"');
  }
});
