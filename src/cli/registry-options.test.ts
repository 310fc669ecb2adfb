import { expect, test } from 'vitest';
import { REGISTRY_OPTIONS, registryOptionsFrom } from './registry-options.ts';

test('registryOptionsFrom hands every flag and the environment to the client', () => {
  const flags = {
    authfile: 'auth.json',
    registriesConf: 'registries.conf',
    ca: ['a.crt', 'b.crt'],
    certsDir: 'certs.d',
    insecure: true,
  };
  const env = { HTTPS_PROXY: 'http://proxy.example.com:3128' };

  expect(registryOptionsFrom(flags, { env })).toEqual({ ...flags, env });
  expect(Object.keys(REGISTRY_OPTIONS).toSorted()).toEqual(Object.keys(flags).toSorted());
});
