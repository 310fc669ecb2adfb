import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fakeProcess } from '../../../../test/support/fake-process.ts';
import { openTestSite, siteFolder, stepRun } from '../../../../test/support/site.ts';
import { silentContext } from '../../../core/context.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { digestOf } from '../../../oci/digest.ts';
import { parseReference } from '../../../oci/reference.ts';
import { readSite } from '../../../site/read-site.ts';
import { type SitePaths, sitePaths } from '../../../site/site-paths.ts';
import { configStage } from '../../../site/stages/config.ts';
import { PLATFORMS } from '../../platforms.ts';
import { runCommandLine } from '../../run.ts';
import { RENDER_COMMANDS } from './index.ts';

const DIGEST = digestOf('content');
const MIRROR = 'mirror.north.example:5000/ocp';
const NORTH = {
  registry: { host: 'mirror.north.example', path: 'ocp' },
  cluster: { workers: 5, hostPrefix: 24 },
  postInstall: { ntpServers: ['ntp.north.example'] },
};

async function atoll(...argv: readonly string[]) {
  const process = fakeProcess();
  const set = { commands: RENDER_COMMANDS, groups: { render: 'Render' } };
  const status = await runCommandLine(['render', ...argv], set, process);
  return { status, stdout: process.stdout.text, stderr: process.stderr.text };
}

const image = (kind: 'release' | 'component' | 'catalog', source: string, target: string) => ({
  image: {
    kind,
    source: { ...parseReference(source), digest: kind === 'catalog' ? undefined : DIGEST },
    reason: 'asked for',
    ...(kind === 'component' ? { component: 'pod' } : {}),
  },
  target: parseReference(`${MIRROR}/${target}`),
  digest: DIGEST,
});

/** What the registry and images stages leave behind. */
async function mirrored(paths: SitePaths): Promise<void> {
  await mkdir(join(paths.state, 'secrets'), { recursive: true });
  await writeFile(paths.mirrorSecret, '{"auths":{"mirror.north.example:5000":{"auth":"YTpi"}}}\n');
  const upstream = 'quay.io/openshift-release-dev';
  const index = 'redhat/redhat-operator-index:v4.18';
  await new WorkingDir(paths.mirror).addMirrored([
    image('release', `${upstream}/ocp-release:4.18.2`, 'openshift/release-images:4.18.2'),
    image('component', `${upstream}/ocp-v4.0-art-dev:pod`, 'openshift/release:pod'),
    image('catalog', `registry.redhat.io/${index}`, index),
  ]);
}

async function mirroredSite(change: Readonly<Record<string, object>> = NORTH): Promise<string> {
  const { site } = await siteFolder(change);
  await mirrored(sitePaths(await readSite(site, {}, PLATFORMS)));
  return site;
}

describe('render --site', () => {
  test('writes an install-config from what the site file says', async () => {
    const { status, stdout } = await atoll('install-config', '--site', await mirroredSite());

    expect(status).toBe(0);
    expect(parse(stdout)).toMatchObject({
      metadata: { name: 'north' },
      networking: { clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 24 }] },
      compute: [{ replicas: 5 }],
    });
  });

  test('lets a flag win that was given, also when it says what is the default', async () => {
    const site = await mirroredSite();

    const { stdout } = await atoll('install-config', '--site', site, '--host-prefix', '23');

    expect(parse(stdout).networking.clusterNetwork).toEqual([
      { cidr: '10.128.0.0/14', hostPrefix: 23 },
    ]);
  });

  test('writes the very install-config that the config stage writes', async () => {
    const { work } = await openTestSite({
      ...NORTH,
      registry: { ...NORTH.registry, type: 'existing' },
    });
    await mirrored(work.paths);
    await configStage.run(silentContext(), work, stepRun());

    for (const [target, file] of [
      ['install-config', 'install-config.yaml'],
      ['registries-conf', 'nodes/registries.conf'],
    ] as const) {
      const { stdout } = await atoll(target, '--site', work.site.path);
      expect(stdout).toBe(await readFile(join(work.paths.install, file), 'utf8'));
    }
  });

  test('of a site without a mirror leads nobody to one', async () => {
    const registry = { type: 'none', host: undefined };
    const { site } = await siteFolder({ mode: 'private', registry });

    const config = await atoll('install-config', '--site', site);
    const auth = await atoll('auth', '--site', site);

    expect(config.status, config.stderr).toBe(0);
    expect(parse(config.stdout)).not.toHaveProperty('imageDigestSources');
    expect(parse(config.stdout)).not.toHaveProperty('additionalTrustBundle');
    expect(JSON.parse(auth.stdout).auths).toHaveProperty(['quay.io']);
  });

  test('takes rules and catalogs from what is really in the mirror', async () => {
    const site = await mirroredSite();

    const conf = await atoll('registries-conf', '--site', site);
    const catalogs = await atoll('catalog-sources', '--site', site);
    const crio = await atoll('crio', '--site', site);

    expect(conf.stdout).toContain(`location = "${MIRROR}/openshift/release-images"`);
    expect(conf.stdout).toMatch(/location = "registry\.redhat\.io"\n.*blocked = true/);
    expect(catalogs.stdout).toContain(`image: ${MIRROR}/redhat/redhat-operator-index:v4.18`);
    expect(crio.stdout).toContain(`${MIRROR}/openshift/release:pod`);
  });

  test('takes the usual places of a release before anything is mirrored, and rules that are given instead of its own', async () => {
    const { site } = await siteFolder(NORTH);

    const early = await atoll('mirror-sets', '--site', site);
    const given = await atoll(
      'mirror-sets',
      '--site',
      await mirroredSite(),
      '--mirror',
      'other.example:5000',
    );

    expect(early.stdout).toContain(`${MIRROR}/openshift/release-images`);
    expect(given.stdout).toContain('other.example:5000/openshift/release-images');
    expect(given.stdout).not.toContain(MIRROR);
  });

  test('asks for the platform of a site whose network is still to be made', async () => {
    const site = await mirroredSite({ ...NORTH, platform: { type: 'aws', region: 'us-east-1' } });

    const { status, stderr } = await atoll('install-config', '--site', site);

    expect(status).toBe(2);
    expect(stderr).toContain('--platform');
    expect(stderr).toContain('render aws-platform');
  });

  test('is no flag of a file that no site knows anything about', async () => {
    const { status, stderr } = await atoll('policy', '--site', 'atoll.yaml');

    expect(status).toBe(2);
    expect(stderr).toContain('--site');
  });
});
