import * as z from 'zod';
import { type Address, containsAddress, parseCidr } from '../../ip.ts';
import { type Fields, part, text, texts, whole, word } from '../fields.ts';

export interface NetworksInput {
  readonly machineNetwork?: readonly string[] | undefined;
  /** The prefix of a node is by default 23, and 64 for IPv6. */
  readonly clusterNetwork?:
    | readonly { readonly cidr: string; readonly hostPrefix?: number | undefined }[]
    | undefined;
  readonly serviceNetwork?: readonly string[] | undefined;
}

const clusterNetwork = z
  .array(z.looseObject({ cidr: word, hostPrefix: whole, hostSubnetLength: whole }))
  .optional();
export const networkFields = {
  networking: part({
    networkType: text,
    machineNetwork: z.array(z.looseObject({ cidr: word })).optional(),
    clusterNetwork,
    serviceNetwork: texts,
    clusterNetworkMTU: whole,
    ovnKubernetesConfig: part({ ipv4: part({ internalJoinSubnet: text }) }),
    networkObservability: part({ installationPolicy: text }),
    // Deprecated names of the above.
    type: text,
    machineCIDR: text,
    clusterNetworks: clusterNetwork,
    serviceCIDR: text,
  }),
};
export type NetworksConfig = Fields<typeof networkFields>;
export type Networking = NonNullable<NetworksConfig['networking']>;

/** The networks of a cluster that names none. */
const DEFAULTS = {
  machineNetwork: ['10.0.0.0/16'],
  clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
  serviceNetwork: ['172.30.0.0/16'],
};

export function buildNetworks(input: NetworksInput): { networking: Networking } {
  const {
    machineNetwork = DEFAULTS.machineNetwork,
    clusterNetwork: pods = DEFAULTS.clusterNetwork,
    serviceNetwork = DEFAULTS.serviceNetwork,
  } = input;
  return {
    networking: {
      networkType: 'OVNKubernetes',
      clusterNetwork: pods.map(({ cidr, hostPrefix }) => ({
        cidr,
        hostPrefix: hostPrefix ?? (parseCidr(cidr)?.family === 6 ? 64 : 23),
      })),
      machineNetwork: machineNetwork.map((cidr) => ({ cidr })),
      serviceNetwork: [...serviceNetwork],
    },
  };
}

/** What the installer makes of networks that are left out or have their old names. */
export function withNetworkDefaults(networking: Networking = {}): Networking {
  const defaults = buildNetworks({}).networking;
  const { machineCIDR, serviceCIDR } = networking;
  const pods =
    some(networking.clusterNetwork) ?? some(networking.clusterNetworks) ?? defaults.clusterNetwork;
  return {
    ...networking,
    networkType: networking.networkType || networking.type || defaults.networkType,
    machineNetwork:
      some(networking.machineNetwork) ??
      (machineCIDR ? [{ cidr: machineCIDR }] : defaults.machineNetwork),
    serviceNetwork:
      some(networking.serviceNetwork) ?? (serviceCIDR ? [serviceCIDR] : defaults.serviceNetwork),
    clusterNetwork: pods?.map((entry) => ({
      ...entry,
      hostPrefix: entry.hostPrefix || prefixOf(entry.cidr, entry.hostSubnetLength),
    })),
  };
}

/** An empty list is as good as none. */
const some = <T>(entries: T[] | undefined): T[] | undefined =>
  entries?.length ? entries : undefined;

function prefixOf(cidr: string, subnetLength: number | undefined): number | undefined {
  if (!subnetLength) return undefined;
  return (parseCidr(cidr)?.family === 6 ? 128 : 32) - subnetLength;
}

export type RangeLists = Readonly<Record<'machine' | 'cluster' | 'service', readonly string[]>>;

export function rangesOf({ networking = {} }: NetworksConfig): RangeLists {
  return {
    machine: (networking.machineNetwork ?? []).map(({ cidr }) => cidr),
    cluster: (networking.clusterNetwork ?? []).map(({ cidr }) => cidr),
    service: networking.serviceNetwork ?? [],
  };
}

/** Whether an address is within one of the ranges. */
export const isWithin = (ranges: readonly string[], address: Address): boolean =>
  ranges.some((one) => {
    const range = parseCidr(one);
    return range !== undefined && containsAddress(range, address);
  });

export function familiesOf(ranges: readonly string[]): Set<4 | 6> {
  return new Set(ranges.flatMap((range) => parseCidr(range)?.family ?? []));
}
