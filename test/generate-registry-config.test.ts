import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registryConfig } from '../src/generate/units/registry-config.ts';
import { readConfigFile } from '../src/registry/config-file.ts';
import { tempDir } from './support/temp.ts';

test('registryConfig writes what the embedded registry reads', async () => {
  const path = join(await tempDir(), 'config.yaml');
  const text = registryConfig({
    data: '/var/lib/atoll/registry',
    listeners: [{ port: 6001, upstream: 'quay.io' }, { port: 5000 }],
    tls: { certificate: '/etc/c', key: '/etc/k' },
    htpasswd: '/etc/htpasswd',
    accessLog: '/var/lib/atoll/registry/access.log',
  });
  await writeFile(path, text);

  expect(await readConfigFile(path)).toMatchObject({
    storage: { path: '/var/lib/atoll/registry' },
    listeners: [
      { address: { port: 5000 }, tls: { certificate: '/etc/c', key: '/etc/k' } },
      { address: { port: 6001 }, upstream: 'quay.io' },
    ],
    auth: { htpasswd: '/etc/htpasswd' },
  });
});
