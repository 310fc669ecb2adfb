import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { registerSecret } from '../../../core/redact.ts';
import { inputError, parseYamlInput } from '../../../core/yaml-input.ts';
import type {
  ClusterSize,
  InstallConfigInput,
} from '../../../generate/install-config/install-config.ts';
import { platformSchema } from '../../../generate/install-config/platform-schema.ts';
import type { PlatformInput } from '../../../generate/install-config/platforms.ts';
import { formatPullSecret, parsePullSecret } from '../../../generate/pull-secret.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';
import { readOptional } from './flag-values.ts';
import { PROXY_OPTIONS, proxyFrom } from './proxy-input.ts';
import { RULE_OPTIONS, rulesFrom } from './rule-options.ts';

export const INSTALL_CONFIG_OPTIONS = {
  name: { type: 'string', value: 'NAME', summary: 'Name of the cluster' },
  baseDomain: { type: 'string', value: 'DOMAIN', summary: 'Domain the cluster is below' },
  platform: {
    type: 'string',
    value: 'FILE',
    summary:
      'YAML with type (aws, vsphere, nutanix, baremetal, none) and what belongs to it; none without it',
  },
  release: {
    type: 'string',
    value: 'VERSION',
    summary: 'Release, such as 4.18.1: decides between old and new fields',
  },
  size: {
    type: 'string',
    value: 'SIZE',
    default: 'standard',
    summary: 'standard (3+3), compact (3+0), single-node (1+0), or CONTROL+COMPUTE',
  },
  arch: {
    type: 'string',
    value: 'ARCH',
    choices: ['amd64', 'arm64', 'ppc64le', 's390x'],
    default: 'amd64',
    summary: 'Architecture of the machines',
  },
  machineNetwork: {
    type: 'strings',
    value: 'CIDR',
    default: ['10.0.0.0/16'],
    summary: 'Network of the machines',
  },
  clusterNetwork: {
    type: 'string',
    value: 'CIDR',
    default: '10.128.0.0/14',
    summary: 'Network of the pods',
  },
  hostPrefix: {
    type: 'number',
    value: 'BITS',
    default: 23,
    summary: 'Prefix of the pod network of a node',
  },
  serviceNetwork: {
    type: 'string',
    value: 'CIDR',
    default: '172.30.0.0/16',
    summary: 'Network of the services',
  },
  publish: {
    type: 'string',
    value: 'HOW',
    choices: ['Internal', 'External'],
    summary: 'Who may reach the cluster',
  },
  ...PROXY_OPTIONS,
  ...RULE_OPTIONS,
  trustBundle: { type: 'string', value: 'FILE', summary: 'PEM of the CA of the mirror' },
  trustPolicy: {
    type: 'string',
    value: 'POLICY',
    choices: ['Always', 'Proxyonly'],
    summary: 'When pods trust it too',
  },
  credentialsMode: {
    type: 'string',
    value: 'MODE',
    choices: ['Manual', 'Mint', 'Passthrough'],
    summary: 'How operators get credentials',
  },
  baseline: {
    type: 'string',
    value: 'SET',
    summary: 'Capabilities to start from: None, vCurrent, v4.18',
  },
  capability: { type: 'strings', value: 'NAME', summary: 'Capability to add' },
  fips: { type: 'boolean', summary: 'Validated cryptography' },
  sshKey: { type: 'string', value: 'FILE', summary: 'Public SSH key for the nodes' },
  pullSecret: { type: 'string', value: 'FILE', summary: 'Pull secret with the mirror in it' },
  installationDisk: {
    type: 'string',
    value: 'DEVICE',
    summary: 'For a single node that installs itself',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

type Values = OptionValues<typeof INSTALL_CONFIG_OPTIONS>;

/** What the flags say about a cluster, files read. */
export async function installConfigFrom(options: Values): Promise<InstallConfigInput> {
  const { rules } = await rulesFrom(options);
  return {
    name: needed('name', options.name),
    baseDomain: needed('base-domain', options.baseDomain),
    platform: await platformFrom(options.platform),
    releaseVersion: options.release,
    size: sizeOf(options.size),
    architecture: options.arch as InstallConfigInput['architecture'],
    machineNetwork: options.machineNetwork,
    clusterNetwork: [{ cidr: options.clusterNetwork, hostPrefix: options.hostPrefix }],
    serviceNetwork: [options.serviceNetwork],
    publish: options.publish as InstallConfigInput['publish'],
    proxy: await proxyFrom(options),
    mirrorRules: rules,
    additionalTrustBundle: await readOptional(options.trustBundle),
    additionalTrustBundlePolicy: options.trustPolicy as 'Always' | undefined,
    credentialsMode: options.credentialsMode as 'Manual' | undefined,
    capabilities: options.baseline
      ? { baseline: options.baseline, additional: options.capability }
      : undefined,
    fips: options.fips,
    sshKey: await readOptional(options.sshKey),
    pullSecret: await pullSecretFrom(needed('pull-secret', options.pullSecret)),
    installationDisk: options.installationDisk,
  };
}

function needed(flag: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new AtollError('USAGE', `Cannot write an install-config without "--${flag}"`, {
    hint: 'See "atoll render install-config --help", or check a file with "--check"',
  });
}

async function platformFrom(path: string | undefined): Promise<PlatformInput> {
  if (path === undefined) return { type: 'none' };
  const parsed = parseYamlInput(platformSchema, await readText(path));
  if (parsed.value === undefined) throw inputError(path, parsed.problems);
  const platform: PlatformInput = parsed.value;
  if (platform.type === 'vsphere') registerSecret(platform.password);
  if (platform.type === 'nutanix') registerSecret(platform.prismCentral.password);
  return platform;
}

async function pullSecretFrom(path: string): Promise<string> {
  return formatPullSecret(parsePullSecret(await readText(path), `"${path}"`));
}

function sizeOf(text: string): ClusterSize {
  if (text === 'standard' || text === 'compact' || text === 'single-node') return text;
  const [, controlPlane, compute] = /^(\d+)\+(\d+)$/.exec(text) ?? [];
  if (controlPlane === undefined || compute === undefined) {
    throw new AtollError('USAGE', `Cannot use "--size ${text}"`, {
      hint: 'Write standard, compact, single-node, or numbers such as 3+5',
    });
  }
  return { controlPlane: Number(controlPlane), compute: Number(compute) };
}
