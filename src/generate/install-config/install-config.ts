import { hostNameOf } from '../../oci/registries/location.ts';
import { knows } from '../../openshift/features.ts';
import { parseReleaseVersion, type ReleaseVersion } from '../../openshift/version.ts';
import { type MirrorRule, normalizeRules } from '../mirror-rule.ts';
import { sortedUnique } from '../order.ts';
import { toYaml } from '../yaml.ts';
import { DEFAULT_NETWORKS } from './defaults.ts';
import { type PlatformInput, platformSection } from './platforms.ts';
import type { InstallConfig, MachinePool } from './schema.ts';

/** `standard`: three and three; `compact`: three that do both; `single-node`: one. */
export type ClusterSize =
  | 'standard'
  | 'compact'
  | 'single-node'
  | { readonly controlPlane: number; readonly compute: number };

export interface InstallConfigInput {
  readonly name: string;
  readonly baseDomain: string;
  readonly platform: PlatformInput;
  /** The release decides between old and new fields; a new one is assumed when it is unknown. */
  readonly releaseVersion?: string | undefined;
  readonly size?: ClusterSize | undefined;
  readonly architecture?: 'amd64' | 'arm64' | 'ppc64le' | 's390x' | undefined;
  readonly machineNetwork?: readonly string[] | undefined;
  readonly clusterNetwork?:
    | readonly { readonly cidr: string; readonly hostPrefix: number }[]
    | undefined;
  readonly serviceNetwork?: readonly string[] | undefined;
  readonly publish?: 'Internal' | 'External' | undefined;
  readonly proxy?: ProxyInput | undefined;
  /** Where the images of the release are found; they become `imageDigestSources`. */
  readonly mirrorRules?: readonly MirrorRule[] | undefined;
  readonly additionalTrustBundle?: string | undefined;
  readonly additionalTrustBundlePolicy?: 'Always' | 'Proxyonly' | undefined;
  readonly credentialsMode?: 'Manual' | 'Mint' | 'Passthrough' | undefined;
  readonly capabilities?: CapabilitiesInput | undefined;
  readonly fips?: boolean | undefined;
  readonly sshKey?: string | undefined;
  readonly pullSecret: string;
  /** Disk of the one machine, for a single node that installs itself. */
  readonly installationDisk?: string | undefined;
}

export interface ProxyInput {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: readonly string[] | undefined;
}

export interface CapabilitiesInput {
  readonly baseline: string;
  readonly additional?: readonly string[] | undefined;
}

/** An install-config. What is wrong with it, `validateInstallConfig` says. */
export function installConfig(input: InstallConfigInput): InstallConfig {
  const version = input.releaseVersion ? parseReleaseVersion(input.releaseVersion) : undefined;
  const mode = input.credentialsMode ?? (input.platform.type === 'nutanix' ? 'Manual' : undefined);
  return {
    apiVersion: 'v1',
    metadata: { name: input.name },
    baseDomain: input.baseDomain,
    ...machinesOf(input),
    networking: networkingOf(input),
    platform: platformSection(input.platform, version),
    ...(input.publish ? { publish: input.publish } : {}),
    ...(mode ? { credentialsMode: mode } : {}),
    ...(input.capabilities ? { capabilities: capabilitiesOf(input.capabilities) } : {}),
    ...(input.fips ? { fips: true } : {}),
    ...(input.proxy ? { proxy: proxyOf(input.proxy, input.mirrorRules ?? []) } : {}),
    ...sourcesOf(input.mirrorRules ?? [], version),
    ...trustOf(input, version),
    ...(input.installationDisk
      ? { bootstrapInPlace: { installationDisk: input.installationDisk } }
      : {}),
    pullSecret: input.pullSecret,
    ...(input.sshKey ? { sshKey: input.sshKey.trim() } : {}),
  };
}

export function formatInstallConfig(config: InstallConfig): string {
  return toYaml(config);
}

function machinesOf(input: InstallConfigInput): {
  controlPlane: MachinePool;
  compute: MachinePool[];
} {
  const { controlPlane, compute } = replicasOf(input.size ?? 'standard');
  const architecture = input.architecture ?? 'amd64';
  const pool = (name: string, replicas: number, type: string | undefined): MachinePool => ({
    name,
    architecture,
    hyperthreading: 'Enabled',
    replicas,
    platform: poolPlatform(input.platform, type),
  });
  const { platform } = input;
  const types = platform.type === 'aws' ? platform : undefined;
  return {
    controlPlane: pool('master', controlPlane, types?.controlPlaneType),
    compute: [pool('worker', compute, types?.computeType)],
  };
}

function poolPlatform(platform: PlatformInput, type: string | undefined) {
  if (platform.type !== 'aws' || (!type && !platform.zones?.length)) return {};
  return {
    aws: {
      ...(type ? { type } : {}),
      ...(platform.zones?.length ? { zones: sortedUnique(platform.zones) } : {}),
    },
  };
}

function replicasOf(size: ClusterSize): { controlPlane: number; compute: number } {
  if (typeof size === 'object') return size;
  if (size === 'standard') return { controlPlane: 3, compute: 3 };
  return { controlPlane: size === 'compact' ? 3 : 1, compute: 0 };
}

function networkingOf(input: InstallConfigInput): NonNullable<InstallConfig['networking']> {
  const cluster = input.clusterNetwork ?? DEFAULT_NETWORKS.clusterNetwork;
  return {
    networkType: 'OVNKubernetes',
    clusterNetwork: cluster.map(({ cidr, hostPrefix }) => ({ cidr, hostPrefix })),
    machineNetwork: (input.machineNetwork ?? DEFAULT_NETWORKS.machineNetwork).map((cidr) => ({
      cidr,
    })),
    serviceNetwork: [...(input.serviceNetwork ?? DEFAULT_NETWORKS.serviceNetwork)],
  };
}

function capabilitiesOf({ baseline, additional }: CapabilitiesInput) {
  return {
    baselineCapabilitySet: baseline,
    ...(additional?.length ? { additionalEnabledCapabilities: sortedUnique(additional) } : {}),
  };
}

/** The installer adds much to `noProxy` by itself, but not the mirror. */
function proxyOf(proxy: ProxyInput, rules: readonly MirrorRule[]) {
  const mirrors = rules.flatMap((rule) => rule.mirrors.map(hostNameOf));
  const noProxy = sortedUnique([...(proxy.noProxy ?? []), ...mirrors]).join(',');
  return {
    ...(proxy.httpProxy ? { httpProxy: proxy.httpProxy } : {}),
    ...(proxy.httpsProxy ? { httpsProxy: proxy.httpsProxy } : {}),
    ...(noProxy ? { noProxy } : {}),
  };
}

function sourcesOf(rules: readonly MirrorRule[], version: ReleaseVersion | undefined) {
  if (rules.length === 0) return {};
  const withPolicy = knows(version, 'mirrorSourcePolicy');
  const sources = normalizeRules(rules).map(({ source, mirrors, policy }) => ({
    mirrors: [...mirrors],
    source,
    ...(policy && withPolicy ? { sourcePolicy: policy } : {}),
  }));
  return knows(version, 'imageDigestSources')
    ? { imageDigestSources: sources }
    : { imageContentSources: sources };
}

function trustOf(input: InstallConfigInput, version: ReleaseVersion | undefined) {
  if (!input.additionalTrustBundle) return {};
  // Pods get the bundle too, not only nodes: image imports and the update service need it.
  const policy = input.additionalTrustBundlePolicy ?? 'Always';
  return {
    additionalTrustBundle: `${input.additionalTrustBundle.trimEnd()}\n`,
    ...(knows(version, 'additionalTrustBundlePolicy')
      ? { additionalTrustBundlePolicy: policy }
      : {}),
  };
}
