import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { REGISTRY_OPTIONS, registriesFrom, registryOptionsFrom } from './registry-options.ts';

test('registryOptionsFrom hands every flag and the environment to the client', () => {
  const flags = {
    authfile: 'auth.json',
    registriesConf: 'registries.conf',
    registriesD: 'registries.d',
    ca: ['a.crt', 'b.crt'],
    certsDir: 'certs.d',
    insecure: true,
  };
  const env = { HTTPS_PROXY: 'http://proxy.example.com:3128' };

  expect(registryOptionsFrom(flags, { env })).toEqual({ ...flags, env });
  expect(Object.keys(REGISTRY_OPTIONS).toSorted()).toEqual(Object.keys(flags).toSorted());
});

test('registriesFrom refuses files that are named and not there, whoever would read them', async () => {
  const folder = await tempDir();
  const file = join(folder, 'file');
  await writeFile(file, '');
  const files = { authfile: undefined, registriesConf: undefined, ca: [] };
  const none = { ...files, certsDir: undefined, registriesD: undefined, insecure: false };
  const opened = (flags: object) => () => registriesFrom({ ...none, ...flags }, { env: {} });

  expect(opened({ authfile: join(folder, 'absent') })).toThrow('absent": there is no such file');
  expect(opened({ ca: [file, folder] })).toThrow('it is a folder');
  expect(opened({ certsDir: file })).toThrow('a file stands where a folder is meant');
  expect(opened({ registriesD: join(folder, 'absent') })).toThrow('absent": there is no such file');
  await opened({ authfile: file, ca: [file], certsDir: folder })().close();
});
