import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp.ts';
import { digestOf } from '../../../oci/digest.ts';
import { siteValues } from './site-values.ts';

const SITE = `name: north
release:
  version: 4.18.2
platform:
  type: none
registry:
  host: mirror.north.example
  path: ocp
cluster:
  name: north
  baseDomain: example.com
  pullSecret: pull-secret.json
  workers: 5
postInstall:
  ntpServers: [ntp.north.example]
`;

async function siteFile(mirrored?: object): Promise<string> {
  const folder = await tempDir();
  await writeFile(join(folder, 'atoll.yaml'), SITE);
  if (mirrored) {
    const workingDir = join(folder, '.atoll/mirror/working-dir');
    await mkdir(join(workingDir, 'cluster-resources'), { recursive: true });
    await writeFile(join(workingDir, 'mirrored.json'), JSON.stringify(mirrored));
    await writeFile(join(workingDir, 'cluster-resources/idms-oc-mirror.yaml'), '');
  }
  return join(folder, 'atoll.yaml');
}

const CATALOG = {
  version: 1,
  images: [
    {
      kind: 'catalog',
      source: 'registry.redhat.io/redhat/redhat-operator-index:v4.18',
      target: 'mirror.north.example:5000/ocp/redhat/redhat-operator-index:v4.18',
      digest: digestOf('catalog'),
      reason: 'asked for',
    },
  ],
};

test('siteValues gives an install-config what the site file says', async () => {
  const values = await siteValues('render install-config', await siteFile(), {});

  expect(values).toMatchObject({
    name: 'north',
    size: '3+5',
    release: '4.18.2',
    disconnected: true,
    mirror: 'mirror.north.example:5000/ocp',
  });
});

test('siteValues takes rules and catalogs from what is really in the mirror', async () => {
  const file = await siteFile(CATALOG);

  const conf = await siteValues('render registries-conf', file, {});
  const catalogs = await siteValues('render catalog-sources', file, {});

  expect(conf).toMatchObject({
    rulesFrom: [expect.stringMatching(/idms-oc-mirror\.yaml$/)],
    block: ['registry.redhat.io'],
    neverContactSource: true,
  });
  expect(catalogs).toEqual({ catalog: [CATALOG.images[0]?.target] });
});

test('siteValues knows nothing for a command that asks nothing of a site', async () => {
  expect(await siteValues('render policy', await siteFile(), {})).toEqual({});
});
