import { access, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type KnownImage, WorkingDir } from '../../../mirror/flow/working-dir.ts';
import { formatReference } from '../../../oci/reference.ts';
import { releaseChannel } from '../../../site/inputs.ts';
import { mirrorCa, mirrorHost, mirrorLocation } from '../../../site/mirror-place.ts';
import { readSite, type Site, sitePath } from '../../../site/read-site.ts';
import { sitePaths } from '../../../site/site-paths.ts';
import { PLATFORMS } from '../../platforms.ts';
import { AWS_VALUES } from './site-aws-values.ts';

type Value = string | number | boolean | readonly string[] | undefined;
type Values = Readonly<Record<string, Value>>;

/** What a site knows that flags of render commands ask for. */
interface SiteFacts {
  readonly site: Site;
  readonly mirrored: readonly KnownImage[];
  /** IDMS and ITMS files of the mirror, once images are in it. */
  readonly mirrorSets: readonly string[];
  readonly signatures: readonly string[];
  readonly trustBundle: string | undefined;
  readonly pullSecret: string;
}

/** The values a site gives to the flags of a render command; what is on the command line wins. */
export async function siteValues(
  command: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Values> {
  const facts = await readFacts(await readSite(file, env, PLATFORMS));
  return TABLE[command.replace(/^render /, '')]?.(facts) ?? {};
}

const TABLE: Readonly<Record<string, (facts: SiteFacts) => Values>> = {
  ...AWS_VALUES,
  'registries-conf': (facts) => ({ ...ruleValues(facts), block: upstreams(facts) }),
  'mirror-sets': ruleValues,
  hosts: ruleValues,
  'install-config': installValues,
  'install-config-check': ({ site }) => ({
    release: site.release.version,
    disconnected: site.mode === 'disconnected',
  }),
  'catalog-sources': ({ mirrored }) => ({ catalog: targets(mirrored, 'catalog') }),
  'update-service': ({ mirrored }) => ({
    releases: targets(mirrored, 'release')[0]?.replace(/:[^:/]+$/, ''),
    graphImage: targets(mirrored, 'graph')[0],
  }),
  'release-signatures': ({ signatures }) => ({
    signature: signatures.map((path) => `${basename(path).replace('-', ':')}=${path}`),
  }),
  'image-config': ({ site, trustBundle }) => ({
    ca: trustBundle ? [`${mirrorHost(site)}=${trustBundle}`] : [],
  }),
  'cluster-version': ({ site }) => ({ channel: releaseChannel(site) }),
  chrony: ({ site }) => ({ server: site.postInstall.ntpServers }),
  auth: ({ site }) => ({
    existing: sitePath(site, site.cluster.pullSecret),
    registry: mirrorHost(site),
  }),
  'squid-conf': ({ site }) => ({ client: site.bastion.allowFrom, port: site.proxy.port }),
  'registry-config': ({ site }) => ({ port: site.registry.port }),
  'registry-unit': ({ site }) => ({ port: site.registry.port }),
  ignition: ({ site }) => ({
    hostname: `${site.name}-bastion`,
    sshKey: site.bastion.sshKey ? [sitePath(site, site.bastion.sshKey)] : [],
  }),
};

function ruleValues({ site, mirrorSets }: SiteFacts): Values {
  const never = { neverContactSource: site.mode === 'disconnected' };
  return mirrorSets.length > 0
    ? { rulesFrom: mirrorSets, ...never }
    : { mirror: mirrorLocation(site), ...never };
}

function installValues(facts: SiteFacts): Values {
  const { site, trustBundle, pullSecret } = facts;
  const { cluster, release } = site;
  return {
    ...ruleValues(facts),
    name: cluster.name,
    baseDomain: cluster.baseDomain,
    release: release.version,
    arch: release.architecture === 'multi' ? undefined : release.architecture,
    size: `${cluster.controlPlane}+${cluster.workers}`,
    machineNetwork: [cluster.machineNetwork],
    clusterNetwork: cluster.clusterNetwork,
    hostPrefix: cluster.hostPrefix,
    serviceNetwork: [cluster.serviceNetwork],
    publish: site.mode === 'private' ? 'Internal' : undefined,
    credentialsMode: cluster.credentialsMode,
    fips: cluster.fips,
    sshKey: cluster.sshKey ? sitePath(site, cluster.sshKey) : undefined,
    trustBundle,
    pullSecret,
    disconnected: site.mode === 'disconnected',
  };
}

function upstreams({ site, mirrored }: SiteFacts): readonly string[] {
  if (site.mode !== 'disconnected') return [];
  return [...new Set(mirrored.map(({ image }) => image.source.registry))].toSorted();
}

function targets(mirrored: readonly KnownImage[], kind: string): string[] {
  return mirrored
    .filter(({ image }) => image.kind === kind)
    .map(({ target }) => formatReference(target));
}

async function readFacts(site: Site): Promise<SiteFacts> {
  const paths = sitePaths(site);
  const workingDir = new WorkingDir(paths.mirror);
  const ca = mirrorCa({ site, paths });
  const hasMirrorSecret = await isThere(paths.mirrorSecret);
  return {
    site,
    mirrored: await workingDir.mirrored(),
    mirrorSets: await filesIn(workingDir.file('cluster-resources'), /^i[dt]ms-.*\.yaml$/),
    signatures: await filesIn(workingDir.file('signatures'), /^sha256-/),
    trustBundle: ca && (await isThere(ca)) ? ca : undefined,
    pullSecret: hasMirrorSecret ? paths.mirrorSecret : sitePath(site, site.cluster.pullSecret),
  };
}

async function filesIn(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))
    .toSorted();
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
