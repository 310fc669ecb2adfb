import { knows } from '../../../openshift/features.ts';
import { type Cidr, formatCidr, isCanonical, overlaps, parseCidr } from '../../ip.ts';
import type { Surroundings } from '../traits.ts';
import { error, missing, oneOf, type Violation, warning, when } from '../violation.ts';
import { countMachines, type MachinesConfig } from './machines.ts';
import {
  familiesOf,
  type Networking,
  type NetworksConfig,
  type RangeLists,
  rangesOf,
} from './networks.ts';

interface Range {
  readonly path: string;
  readonly text: string;
  readonly cidr: Cidr;
}

/** Address ranges: well formed, apart from each other, and large enough for the cluster. */
export function checkNetworks(
  config: NetworksConfig & MachinesConfig,
  around: Surroundings,
): Violation[] {
  const lists = rangesOf(config);
  const entries = Object.entries(lists).map(([name, all]) => ({
    path: `networking.${name}Network`,
    all,
  }));
  const texts = entries.flatMap(({ path, all }) =>
    all.map((one, index) => ({ path: `${path}[${index}]`, text: one })),
  );
  const ranges = texts.flatMap(toRange);
  return [
    ...entries.flatMap(({ path, all }) =>
      when(all.length === 0, () => error(path, 'it is empty', 'Name at least one range')),
    ),
    ...texts.flatMap(checkText),
    ...ranges.flatMap((range, index) => checkOverlap(range, ranges.slice(0, index))),
    ...ranges.flatMap((range) => checkReserved(range, config, around)),
    ...checkJoinSubnet(config, ranges),
    ...checkService(lists.service),
    ...checkFamilies(lists, around),
    ...checkHostPrefixes(config),
    ...checkPlugin(config.networking ?? {}, around),
  ];
}

function toRange({ path, text: given }: { path: string; text: string }): Range[] {
  const cidr = parseCidr(given);
  return cidr ? [{ path, text: given, cidr }] : [];
}

function checkText({ path, text: given }: { path: string; text: string }): Violation[] {
  const cidr = parseCidr(given);
  if (!cidr) {
    return [error(path, `"${given}" is not a range of addresses`, 'Write it as "10.0.0.0/16"')];
  }
  return when(!isCanonical(cidr), () =>
    error(path, `"${given}" has bits set behind its prefix`, `Write "${formatCidr(cidr)}"`),
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

/** What OVN-Kubernetes uses for itself on every node. */
const OVN_RANGES = [
  ['100.88.0.0/16', 'transit'],
  ['fd98::/64', 'join'],
  ['fd97::/64', 'transit'],
  ['fd69::/112', 'masquerade'],
] as const;
const JOIN_SUBNET = '100.64.0.0/16';
const DOCKER_BRIDGE = '172.17.0.0/16';

const joinSubnetOf = ({ networking }: NetworksConfig): string | undefined =>
  networking?.ovnKubernetesConfig?.ipv4?.internalJoinSubnet;

function checkReserved(range: Range, config: NetworksConfig, { facts }: Surroundings): Violation[] {
  const wide = knows(facts.version, 'wideMasqueradeSubnet');
  const taken = [
    ...OVN_RANGES,
    ...(joinSubnetOf(config) ? [] : [[JOIN_SUBNET, 'join'] as const]),
    [wide ? '169.254.0.0/17' : '169.254.169.0/29', 'masquerade'] as const,
  ];
  return [
    ...taken
      .filter(([other]) => meets(range.cidr, other))
      .map(([other, use]) =>
        error(
          range.path,
          `"${range.text}" overlaps ${other}, the ${use} network of OVN-Kubernetes`,
          'Choose another range, or move that one in the network operator',
        ),
      ),
    ...when(meets(range.cidr, DOCKER_BRIDGE), () =>
      warning(
        range.path,
        `"${range.text}" overlaps ${DOCKER_BRIDGE}, which docker uses for its bridge`,
        'Choose another range if a host with docker has to reach the cluster',
      ),
    ),
  ];
}

function meets(range: Cidr, other: string): boolean {
  const cidr = parseCidr(other);
  return cidr !== undefined && overlaps(range, cidr);
}

/** A join subnet of one's own: apart from all others, and with an address for every possible node. */
function checkJoinSubnet(config: NetworksConfig, ranges: readonly Range[]): Violation[] {
  const given = joinSubnetOf(config);
  if (given === undefined) return [];
  const path = 'networking.ovnKubernetesConfig.ipv4.internalJoinSubnet';
  const bad = checkText({ path, text: given });
  const [own] = toRange({ path, text: given });
  if (!own || bad.length > 0) return bad;
  const room = 2 ** (32 - own.cidr.prefix) - 3;
  const nodes = roomForNodes(podRanges(config));
  return [
    ...when(own.cidr.family === 6, () => error(path, 'it is not IPv4', 'Write an IPv4 range')),
    ...checkOverlap(own, ranges),
    ...when(own.cidr.family === 4 && nodes >= room, () =>
      error(path, `it has room for ${room} of ${nodes} possible nodes`, 'Use a larger range'),
    ),
  ];
}

function checkService(texts: readonly string[]): Violation[] {
  const path = 'networking.serviceNetwork';
  const families = texts.map((one) => parseCidr(one)?.family);
  return [
    ...when(families.length > new Set(families).size || texts.length > 2, () =>
      error(path, `it has ${texts.length} ranges`, 'Name one; a second only for the other family'),
    ),
    ...texts.flatMap((one, index) => checkServiceSize(`${path}[${index}]`, parseCidr(one))),
  ];
}

function checkServiceSize(path: string, cidr: Cidr | undefined): Violation[] {
  if (!cidr) return [];
  const [most, usual] = cidr.family === 6 ? [108, 112] : [12, 16];
  return [
    ...when(cidr.prefix < most, () =>
      error(path, `/${cidr.prefix} is too large for services`, `Use /${usual}`),
    ),
    ...when(cidr.family === 6 && cidr.prefix > most && cidr.prefix !== usual, () =>
      warning(path, `services of IPv6 want /${usual}`, `Use /${usual}`),
    ),
  ];
}

/** The services decide: what families they have, machines and pods must have too. */
function checkFamilies(lists: RangeLists, { platform }: Surroundings): Violation[] {
  const services = familiesOf(lists.service);
  const isDual = services.size > 1;
  // On a cloud that gives addresses itself, the IPv6 range of the machines is not known beforehand.
  const mayLack = (name: string, family: number) =>
    name === 'machine' && isDual && family === 6 && platform?.isCloud === true;
  return Object.entries(lists).flatMap(([name, ranges]) => [
    ...[...services]
      .filter((family) => ranges.length > 0 && !familiesOf(ranges).has(family))
      .filter((family) => !mayLack(name, family))
      .map((family) =>
        error(
          `networking.${name}Network`,
          `it has no IPv${family} range, and the service network has one`,
          `Add an IPv${family} range, or take it out of the service network`,
        ),
      ),
    ...when(
      isDual && platform?.ipv4First === true && parseCidr(ranges[0] ?? '')?.family === 6,
      () => error(`networking.${name}Network`, 'it starts with an IPv6 range', 'Put IPv4 first'),
    ),
  ]);
}

const PODS_PER_NODE = 250;

interface PodRange {
  readonly path: string;
  readonly cidr: Cidr;
  readonly prefix: number;
}

function podRanges({ networking }: NetworksConfig): PodRange[] {
  return (networking?.clusterNetwork ?? []).flatMap(({ cidr, hostPrefix = 0 }, index) => {
    const parsed = parseCidr(cidr);
    const path = `networking.clusterNetwork[${index}].hostPrefix`;
    return parsed ? [{ path, cidr: parsed, prefix: hostPrefix }] : [];
  });
}

const roomForNodes = (ranges: readonly PodRange[]): number =>
  ranges
    .filter(({ cidr }) => cidr.family === 4)
    .reduce((sum, { cidr, prefix }) => sum + 2 ** Math.max(0, prefix - cidr.prefix), 0);

function checkHostPrefixes(config: NetworksConfig & MachinesConfig): Violation[] {
  const entries = podRanges(config);
  const v4 = entries.filter(({ cidr }) => cidr.family === 4);
  const { masters, arbiters, workers } = countMachines(config);
  const nodes = masters + arbiters + workers;
  const room = roomForNodes(entries);
  return [
    ...entries.flatMap(checkHostPrefix),
    ...when(new Set(v4.map(({ prefix }) => prefix)).size > 1, () =>
      error(
        'networking.clusterNetwork',
        'its host prefixes differ',
        'Use the same one for all IPv4 ranges',
      ),
    ),
    // The bootstrap machine and a replacement need a range too.
    ...when(v4.length > 0 && room < nodes + 1, () =>
      error(
        'networking.clusterNetwork',
        `it has room for ${room} nodes, and ${nodes} and a bootstrap machine are asked for`,
        'Use a larger range, or a larger host prefix',
      ),
    ),
  ];
}

function checkHostPrefix({ path, cidr, prefix }: PodRange): Violation[] {
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

/** The largest frames of EC2, less what OVN-Kubernetes wraps around a packet. */
const MAX_MTU = 8901;

function checkPlugin(networking: Networking, { platform }: Surroundings): Violation[] {
  const type = networking.networkType ?? 'OVNKubernetes';
  const isOvn = /^ovnkubernetes$/i.test(type);
  const mtu = networking.clusterNetworkMTU || undefined;
  const path = 'networking.clusterNetworkMTU';
  return [
    ...when(/^(?:openshiftsdn|kuryr)$/i.test(type), () =>
      error('networking.networkType', `"${type}" is no longer supported`, 'Write "OVNKubernetes"'),
    ),
    ...when(networking.ovnKubernetesConfig !== undefined && !isOvn, () =>
      error('networking.ovnKubernetesConfig', `it is not for "${type}"`, 'Remove it'),
    ),
    ...checkObservability(networking.networkObservability),
    ...when(mtu !== undefined && platform !== undefined && !platform.isCloud, () =>
      error(path, 'it exists on clouds only', 'Remove it'),
    ),
    ...when(mtu !== undefined && (mtu < 1000 || mtu > MAX_MTU), () =>
      error(path, `it is ${mtu}`, `Use 1000 to ${MAX_MTU}`),
    ),
  ];
}

function checkObservability(section: Networking['networkObservability']): Violation[] {
  if (!section) return [];
  const path = 'networking.networkObservability';
  return [
    ...missing(path, section, ['installationPolicy']),
    ...oneOf(`${path}.installationPolicy`, section.installationPolicy, [
      'InstallAndEnable',
      'NoAction',
    ]),
  ];
}
