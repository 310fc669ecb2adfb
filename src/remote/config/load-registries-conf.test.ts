import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithPeers } from '../../../test/support/peers.ts';
import {
  askedBySkopeo,
  registryTable as registry,
} from '../../../test/support/skopeo-endpoints.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { formatReference, parseReference } from '../../oci/reference.ts';
import { endpointRules, pullEndpoints } from '../../oci/registries/match.ts';
import { loadRegistriesConf } from './load-registries-conf.ts';

async function confFile(text: string): Promise<string> {
  const path = join(await tempDir(), 'registries.conf');
  await writeFile(path, text);
  return path;
}

describeWithPeers(['skopeo'], 'loadRegistriesConf and skopeo agree on', () => {
  test('drop-in directories', async () => {
    const home = await tempDir();
    const folder = join(home, '.config', 'containers');
    await mkdir(join(folder, 'registries.conf.d'), { recursive: true });
    await writeFile(
      join(folder, 'registries.conf'),
      registry('location="127.0.0.1:1"', 'location="127.0.0.1:2"', 'location="127.0.0.1:3"'),
    );
    await writeFile(
      join(folder, 'registries.conf.d', '10-a.conf'),
      registry('location="127.0.0.1:1"', 'location="127.0.0.1:4"'),
    );
    await writeFile(
      join(folder, 'registries.conf.d', '20-b.conf'),
      registry('location="127.0.0.1:1"', 'location="127.0.0.1:5"'),
    );
    await writeFile(join(folder, 'registries.conf.d', 'ignored.txt'), 'not toml [');
    const conf = await loadRegistriesConf({ env: { HOME: home } });

    const ours = pullEndpoints(conf, parseReference('127.0.0.1:1/a:v1')).endpoints;

    expect(ours.map(({ reference }) => formatReference(reference))).toEqual(
      await askedBySkopeo('127.0.0.1:1/a:v1', undefined, home),
    );
  });
});

test('loadRegistriesConf leaves the drop-ins of the system alone where the user has a file', async () => {
  const home = await tempDir();
  const folder = join(home, '.config', 'containers');
  await mkdir(join(folder, 'registries.conf.d'), { recursive: true });
  await writeFile(join(folder, 'registries.conf'), '');
  await writeFile(join(folder, 'registries.conf.d', '1.conf'), '');
  await symlink('gone', join(folder, 'registries.conf.d', '2.conf'));

  const { files } = await loadRegistriesConf({ env: { HOME: home } });

  expect(files).toEqual([
    join(folder, 'registries.conf'),
    join(folder, 'registries.conf.d', '1.conf'),
  ]);
});

test('loadRegistriesConf takes the credential helpers of the last file that names some', async () => {
  const home = await tempDir();
  const folder = join(home, '.config', 'containers');
  await mkdir(join(folder, 'registries.conf.d'), { recursive: true });
  await writeFile(join(folder, 'registries.conf'), 'credential-helpers = ["pass"]');
  const inHome = async () => (await loadRegistriesConf({ env: { HOME: home } })).credentialHelpers;

  expect(await inHome()).toEqual(['pass']);
  await writeFile(join(folder, 'registries.conf.d', '1.conf'), 'credential-helpers = ["a", "b"]');
  await writeFile(join(folder, 'registries.conf.d', '2.conf'), registry('location="a.test"'));
  expect(await inHome()).toEqual(['a', 'b']);
});

test('loadRegistriesConf reads the file that CONTAINERS_REGISTRIES_CONF names', async () => {
  const path = await confFile(registry('location="named.test"\nblocked=true'));

  const conf = await loadRegistriesConf({ env: { CONTAINERS_REGISTRIES_CONF: path } });

  expect(endpointRules(conf, 'named.test/x').blocked).toBe(true);
  expect(conf.files[0]).toBe(path);
});
