import { knows } from '../../openshift/features.ts';
import { type Cidr, formatCidr, isCanonical, overlaps, parseCidr } from '../ip.ts';
import { checkFamilies } from './check-families.ts';
import type { InstallFacts } from './facts.ts';
import type { InstallConfig } from './schema.ts';
import { error, type Violation, warning, when } from './violation.ts';

interface Range {
  readonly path: string;
  readonly text: string;
  readonly cidr: Cidr;
}

/** What OVN-Kubernetes uses for itself on every node. */
const OVN_RANGES = [
  ['100.64.0.0/16', 'join'],
  ['100.88.0.0/16', 'transit'],
  ['fd98::/64', 'join'],
  ['fd97::/64', 'transit'],
  ['fd69::/112', 'masquerade'],
] as const;
const DOCKER_BRIDGE = '172.17.0.0/16';
const PODS_PER_NODE = 250;
/** The largest frames of EC2, less what OVN-Kubernetes wraps around a packet. */
const MAX_MTU = 8901;

/** Address ranges: well formed, apart from each other, and large enough for the cluster. */
export function checkNetworks(config: InstallConfig, facts: InstallFacts): Violation[] {
  const networking = config.networking ?? {};
  const lists = {
    'networking.machineNetwork': (networking.machineNetwork ?? []).map(({ cidr }) => cidr),
    'networking.clusterNetwork': (networking.clusterNetwork ?? []).map(({ cidr }) => cidr),
    'networking.serviceNetwork': networking.serviceNetwork ?? [],
  };
  const texts = Object.entries(lists).flatMap(([path, all]) =>
    all.map((text, index) => ({ path: `${path}[${index}]`, text })),
  );
  const ranges = texts.flatMap(({ path, text }) => {
    const cidr = parseCidr(text);
    return cidr ? [{ path, text, cidr }] : [];
  });
  return [
    ...Object.entries(lists).flatMap(([path, all]) =>
      when(all.length === 0, () => error(path, 'it is empty', 'Name at least one range')),
    ),
    ...texts.flatMap(checkText),
    ...ranges.flatMap((range, index) => checkOverlap(range, ranges.slice(0, index))),
    ...ranges.flatMap((range) => checkReserved(range, facts)),
    ...checkService(lists['networking.serviceNetwork']),
    ...checkFamilies(config, lists),
    ...checkHostPrefixes(config),
    ...checkPlugin(config),
  ];
}

function checkText({ path, text }: { path: string; text: string }): Violation[] {
  const cidr = parseCidr(text);
  if (!cidr) {
    return [error(path, `"${text}" is not a range of addresses`, 'Write it as "10.0.0.0/16"')];
  }
  return when(!isCanonical(cidr), () =>
    error(path, `"${text}" has bits set behind its prefix`, `Write "${formatCidr(cidr)}"`),
  );
}

function checkOverlap(range: Range, others: readonly Range[]): Violation[] {
  return others
    .filter((other) => overlaps(range.cidr, other.cidr))
    .map((other) =>
      error(
        range.path,
        `"${range.text}" overlaps "${other.text}" of ${other.path}`,
        'Choose ranges that have no address in common',
      ),
    );
}

function checkReserved(range: Range, facts: InstallFacts): Violation[] {
  const masquerade = knows(facts.version, 'wideMasqueradeSubnet')
    ? '169.254.0.0/17'
    : '169.254.169.0/29';
  const taken = [...OVN_RANGES, [masquerade, 'masquerade'] as const];
  const docker = parseCidr(DOCKER_BRIDGE);
  return [
    ...taken
      .filter(([text]) => meets(range.cidr, text))
      .map(([text, use]) =>
        error(
          range.path,
          `"${range.text}" overlaps ${text}, the ${use} network of OVN-Kubernetes`,
          'Choose another range, or move that one in the network operator',
        ),
      ),
    ...when(docker !== undefined && overlaps(range.cidr, docker), () =>
      warning(
        range.path,
        `"${range.text}" overlaps ${DOCKER_BRIDGE}, which docker uses for its bridge`,
        'Choose another range if a host with docker has to reach the cluster',
      ),
    ),
  ];
}

function meets(range: Cidr, text: string): boolean {
  const other = parseCidr(text);
  return other !== undefined && overlaps(range, other);
}

function checkService(texts: readonly string[]): Violation[] {
  const families = texts.map((text) => parseCidr(text)?.family);
  const twice = families.length > new Set(families).size;
  return when(twice || texts.length > 2, () =>
    error(
      'networking.serviceNetwork',
      `it has ${texts.length} ranges`,
      'Name one; a second only for the other address family',
    ),
  );
}

function checkHostPrefixes(config: InstallConfig): Violation[] {
  const entries = (config.networking?.clusterNetwork ?? []).flatMap(
    ({ cidr, hostPrefix = 0 }, index) => {
      const parsed = parseCidr(cidr);
      const path = `networking.clusterNetwork[${index}].hostPrefix`;
      return parsed ? [{ path, cidr: parsed, prefix: hostPrefix }] : [];
    },
  );
  const v4 = entries.filter(({ cidr }) => cidr.family === 4);
  const prefixes = new Set(v4.map(({ prefix }) => prefix));
  return [
    ...entries.flatMap(({ path, cidr, prefix }) => checkHostPrefix(path, cidr, prefix)),
    ...when(prefixes.size > 1, () =>
      error(
        'networking.clusterNetwork',
        'its host prefixes differ',
        'Use the same one for all IPv4 ranges',
      ),
    ),
    ...checkNodeCount(config, v4),
  ];
}

function checkHostPrefix(path: string, cidr: Cidr, prefix: number): Violation[] {
  if (cidr.family === 6) {
    return when(prefix !== 64, () =>
      error(path, `it is ${prefix}`, 'Write 64: IPv6 knows no other'),
    );
  }
  return [
    ...when(prefix < cidr.prefix || prefix > 30, () =>
      error(
        path,
        `${prefix} does not fit into ${formatCidr(cidr)}`,
        `Use ${cidr.prefix + 1} to 30, such as 23`,
      ),
    ),
    ...when(prefix <= 30 && 2 ** (32 - prefix) - 3 < PODS_PER_NODE, () =>
      warning(
        path,
        `it leaves ${2 ** (32 - prefix) - 3} addresses for the ${PODS_PER_NODE} pods a node may run`,
        'Use 24 or less, or lower maxPods of the nodes',
      ),
    ),
  ];
}

function checkNodeCount(
  config: InstallConfig,
  ranges: readonly { readonly cidr: Cidr; readonly prefix: number }[],
): Violation[] {
  const pools = [config.controlPlane, ...(config.compute ?? [])];
  const nodes = pools.reduce((sum, pool) => sum + (pool?.replicas ?? 3), 0);
  const room = ranges.reduce(
    (sum, { cidr, prefix }) => sum + 2 ** Math.max(0, prefix - cidr.prefix),
    0,
  );
  // The bootstrap machine and a replacement need a range too.
  return when(ranges.length > 0 && room < nodes + 1, () =>
    error(
      'networking.clusterNetwork',
      `it has room for ${room} nodes, and ${nodes} and a bootstrap machine are asked for`,
      'Use a larger range, or a larger host prefix',
    ),
  );
}

function checkPlugin({ networking = {}, platform }: InstallConfig): Violation[] {
  const type = networking.networkType ?? 'OVNKubernetes';
  const mtu = networking.clusterNetworkMTU || undefined;
  return [
    ...when(['OpenShiftSDN', 'Kuryr'].includes(type), () =>
      error('networking.networkType', `"${type}" is no longer supported`, 'Write "OVNKubernetes"'),
    ),
    ...when(mtu !== undefined && platform.aws === undefined, () =>
      error('networking.clusterNetworkMTU', 'it exists on aws only', 'Remove it'),
    ),
    ...when(mtu !== undefined && (mtu < 1000 || mtu > MAX_MTU), () =>
      error('networking.clusterNetworkMTU', `it is ${mtu}`, `Use 1000 to ${MAX_MTU}`),
    ),
  ];
}
