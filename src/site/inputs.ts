import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText, readTextIfPresent } from '../core/files.ts';
import { chronyConf } from '../generate/chrony.ts';
import type { BastionStackInput } from '../generate/cloudformation/bastion-input.ts';
import type { NetworkInput } from '../generate/cloudformation/network-input.ts';
import { operatorHub } from '../generate/cluster/catalogs.ts';
import type { NamedObject } from '../generate/cluster/install-manifests.ts';
import { samplesConfig } from '../generate/cluster/samples-config.ts';
import type { BastionInput } from '../generate/ignition/bastion.ts';
import { textFile } from '../generate/ignition/config.ts';
import type { InstallConfigInput } from '../generate/install-config/build.ts';
import type { InstallFacts } from '../generate/install-config/facts.ts';
import { machineConfig } from '../generate/machine-config.ts';
import type { MirrorRule } from '../generate/mirror-rule.ts';
import { parsePullSecret } from '../generate/pull-secret.ts';
import type { RegistriesConfInput } from '../generate/registries-conf.ts';
import { type KnownImage, type KnownSignature, WorkingDir } from '../mirror/flow/working-dir.ts';
import { type GroupedRules, imageRules } from '../mirror/image-rules.ts';
import { optionalCapabilities } from '../openshift/capabilities.ts';
import { RELEASE_NAMESPACE } from '../openshift/repositories.ts';
import { parseReleaseVersion } from '../openshift/version.ts';
import { awsSettings } from '../platform/aws/settings.ts';
import { bastionStackInput, networkInput } from '../platform/aws/stack-inputs.ts';
import type { InstallPart } from '../platform/platform.ts';
import { hasMirror, mirrorCa, mirrorHost } from './mirror-place.ts';
import { sitePlatform } from './platform-files.ts';
import { proxyUrl } from './proxy-place.ts';
import { type Site, sitePath } from './read-site.ts';
import { type SitePaths, sitePaths } from './site-paths.ts';
import { publicKeysOf, siteShape } from './site-shape.ts';

// The one way from a site to what generators take: stages go it, and `render --site` does.

/** Whether all that stages make must be there, or what is missing is left out or stood in for. */
export type Completeness = 'complete' | 'so-far';

export interface SiteInputs {
  readonly site: Site;
  readonly paths: SitePaths;
  /** What is in the mirror, as the images stage noted it. */
  readonly mirrored: () => Promise<readonly KnownImage[]>;
  readonly signatures: () => Promise<readonly KnownSignature[]>;
  /** The logins of upstream, as the site names them. */
  readonly upstreamSecret: () => Promise<string>;
  /** Of the logins for an existing registry, those of the mirror: any other would only be a leak. */
  readonly mirrorLogins: () => Promise<Readonly<Record<string, object>>>;
  /** The logins that nodes get. */
  readonly pullSecret: () => Promise<string>;
  /** PEM of the CA of the mirror; undefined when the system trusts it. */
  readonly trustBundle: () => Promise<string | undefined>;
  /** Where nodes find what is in the mirror. */
  readonly registriesConf: () => Promise<RegistriesConfInput>;
  /** Without `platform` where only its stages know it. */
  readonly installConfig: () => Promise<SiteInstallConfig>;
  readonly installFacts: (now: Date) => Promise<InstallFacts>;
  /** Objects for the installer to put into the cluster. */
  readonly manifests: () => readonly NamedObject[];
  /** Who the bastion is and who may log in. */
  readonly bastion: () => Promise<Pick<BastionInput, 'hostname' | 'users'>>;
  readonly bastionStack: () => BastionStackInput;
  readonly network: () => NetworkInput;
}

export type SiteInstallConfig = Omit<InstallConfigInput, 'platform'> & InstallPart;

export function siteInputs(site: Site, completeness: Completeness): SiteInputs {
  const paths = sitePaths(site);
  const workingDir = new WorkingDir(paths.mirror);
  const madeText = completeness === 'complete' ? readText : readTextIfPresent;
  const inputs: SiteInputs = {
    site,
    paths,
    mirrored: () => workingDir.mirrored(),
    signatures: async () =>
      existsSync(workingDir.file('signatures')) ? await workingDir.signatures() : [],
    upstreamSecret: () => readText(sitePath(site, site.cluster.pullSecret)),
    mirrorLogins: () => mirrorLoginsOf(site),
    pullSecret: async () => {
      const made = await madeText(nodeSecretPath(site, paths));
      return (made ?? (await inputs.upstreamSecret())).trim();
    },
    trustBundle: async () => {
      const path = mirrorCa({ site, paths });
      if (path === undefined) return undefined;
      return site.registry.ca === undefined ? await madeText(path) : await readText(path);
    },
    registriesConf: async () => registriesConfOf(site, await workingDir.mirrored()),
    installConfig: () => installConfigOf(inputs, completeness),
    installFacts: (now) => installFactsOf(inputs, now),
    manifests: () => manifestsOf(site),
    bastion: () => bastionOf(site),
    bastionStack: () => bastionStackInput(awsSite(site)),
    network: () => networkInput(awsSite(site)),
  };
  return inputs;
}

async function mirrorLoginsOf(site: Site): Promise<Readonly<Record<string, object>>> {
  const { authfile } = site.registry;
  if (authfile === undefined) return {};
  const path = sitePath(site, authfile);
  const { auths } = parsePullSecret(await readText(path), `"${path}"`);
  const host = mirrorHost(site);
  const own = Object.entries(auths).filter(
    ([name]) => name === host || name.startsWith(`${host}/`),
  );
  return Object.fromEntries(own);
}

/** Disconnected nodes get the mirror's entry alone: any other would only be a leak. */
function nodeSecretPath({ mode }: Site, paths: SitePaths): string {
  return mode === 'disconnected' ? paths.mirrorSecret : paths.mergedSecret;
}

function registriesConfOf(site: Site, mirrored: readonly KnownImage[]): RegistriesConfInput {
  const isClosed = site.mode === 'disconnected';
  const { byDigest, byTag } = imageRules(mirrored);
  const upstreams = new Set(mirrored.map(({ image }) => image.source.registry));
  return {
    rules: flat(byDigest, isClosed),
    tagRules: flat(byTag, isClosed),
    // In a disconnected site nothing may be asked of upstream, not even as a last resort.
    blocked: isClosed ? [...upstreams].toSorted() : [],
  };
}

function flat(rules: GroupedRules, isClosed: boolean): readonly MirrorRule[] {
  const all = [...rules.release, ...rules.operator, ...rules.generic];
  return isClosed ? all.map((rule) => ({ ...rule, policy: 'NeverContactSource' as const })) : all;
}

/** The update channel of the release: the stable one, unless the site names another. */
export function releaseChannel({ release }: Pick<Site, 'release'>): string {
  if (release.channel) return release.channel;
  const [major, minor] = (release.version ?? '').split('.');
  return `stable-${major}.${minor}`;
}

/** The image that is installed, by digest, once it is in the mirror. */
export function releaseImageOf(
  { release }: Pick<Site, 'release'>,
  mirrored: readonly KnownImage[],
): string | undefined {
  const releases = mirrored.filter(({ image }) => image.kind === 'release');
  const wanted =
    releases.find(({ image }) => image.release?.version === release.version) ?? releases.at(-1);
  return (
    wanted && `${wanted.image.source.registry}/${wanted.image.source.repository}@${wanted.digest}`
  );
}

async function installConfigOf(
  inputs: SiteInputs,
  completeness: Completeness,
): Promise<SiteInstallConfig> {
  const { site } = inputs;
  const { cluster, release } = site;
  const sshKey = cluster.sshKey && (await readText(sitePath(site, cluster.sshKey)));
  return {
    name: cluster.name,
    baseDomain: cluster.baseDomain,
    ...(await sitePlatform(site)),
    releaseVersion: release.version,
    size: { controlPlane: cluster.controlPlane, compute: cluster.workers },
    architecture: release.architecture === 'multi' ? undefined : release.architecture,
    machineNetwork: [cluster.machineNetwork],
    clusterNetwork: [{ cidr: cluster.clusterNetwork, hostPrefix: cluster.hostPrefix }],
    serviceNetwork: [cluster.serviceNetwork],
    proxy: await proxyInput(inputs, completeness),
    capabilities: capabilitiesInput(site),
    mirrorRules: await releaseRules(inputs),
    additionalTrustBundle: await inputs.trustBundle(),
    credentialsMode: cluster.credentialsMode,
    fips: cluster.fips,
    osImageStream: cluster.osImageStream,
    sshKey,
    pullSecret: await inputs.pullSecret(),
  };
}

/** The proxy nodes use: the one that is named, or the one on the bastion. */
async function proxyInput(
  { site, paths }: SiteInputs,
  completeness: Completeness,
): Promise<InstallConfigInput['proxy']> {
  const url = await proxyUrl(site, paths, completeness);
  return url === undefined ? undefined : { httpProxy: url, httpsProxy: url };
}

/** An install-config can only name what is there: all that the release could do without, less this. */
function capabilitiesInput({ cluster, release }: Site): InstallConfigInput['capabilities'] {
  const { disabledCapabilities: disabled } = cluster;
  if (disabled.length === 0 || release.version === undefined) return undefined;
  const optional = optionalCapabilities(parseReleaseVersion(release.version));
  return { baseline: 'None', additional: optional.filter((name) => !disabled.includes(name)) };
}

/** The bootstrap needs the release alone; mirror sets bring the rest once there is a cluster. */
async function releaseRules(inputs: SiteInputs): Promise<readonly MirrorRule[]> {
  const mirrored = await inputs.mirrored();
  const image = releaseImageOf(inputs.site, mirrored) ?? '';
  const own = image.slice(0, image.lastIndexOf('/'));
  const prefixes = [RELEASE_NAMESPACE, ...(own ? [own] : [])];
  const { rules } = await inputs.registriesConf();
  return rules.filter(({ source }) => prefixes.some((prefix) => source.startsWith(prefix)));
}

async function installFactsOf({ site, paths }: SiteInputs, now: Date): Promise<InstallFacts> {
  const isEmbedded = site.registry.type === 'embedded';
  return {
    version: site.release.version ? parseReleaseVersion(site.release.version) : undefined,
    disconnected: site.mode === 'disconnected',
    mirror: hasMirror(site)
      ? {
          host: mirrorHost(site),
          certificates: isEmbedded
            ? await readTextIfPresent(join(paths.registry, 'tls', 'server.crt'))
            : undefined,
        }
      : undefined,
    now,
  };
}

function manifestsOf({ postInstall }: Site): readonly NamedObject[] {
  const { defaultCatalogs, samples, ntpServers } = postInstall;
  return [
    operatorHub({ defaultsOff: !defaultCatalogs }),
    ...(samples === 'Removed' ? [samplesConfig({ removed: true })] : []),
    ...(ntpServers.length > 0 ? chronyMachineConfigs(ntpServers) : []),
  ];
}

function chronyMachineConfigs(servers: readonly string[]): readonly NamedObject[] {
  const files = [textFile('/etc/chrony.conf', chronyConf(servers))];
  return ['master', 'worker'].map((role) =>
    machineConfig({ name: `99-${role}-chrony`, role, files }),
  );
}

async function bastionOf(site: Site): Promise<Pick<BastionInput, 'hostname' | 'users'>> {
  const { user: name, sshKey } = site.bastion;
  const text = sshKey === undefined ? '' : await readText(sitePath(site, sshKey));
  const users = text === '' ? [] : [{ name, sshAuthorizedKeys: publicKeysOf(text) }];
  return { hostname: `${site.name}-bastion`, users };
}

/** A site as templates of AWS see it; of one on another platform they get what it says besides. */
const awsSite = (site: Site) => ({
  name: site.name,
  domain: `${site.cluster.name}.${site.cluster.baseDomain}`,
  disconnected: site.mode === 'disconnected',
  settings: awsSettings(site.platform),
  shape: siteShape(site),
});
