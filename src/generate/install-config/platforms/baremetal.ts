import * as z from 'zod';
import { isObject } from '../../../core/shape.ts';
import { isDnsName } from '../../dns-name.ts';
import { parseAddress, parseCidr } from '../../ip.ts';
import { type Fields, flag, type Given, given, list, part, text, texts, whole } from '../fields.ts';
import { countMachines, type MachinesConfig } from '../sections/machines.ts';
import { error, missing, oneOf, type Violation, when } from '../violation.ts';
import { definePlatform } from './platform.ts';
import { buildVips, checkVips, vipFields, vipInput } from './vips.ts';

const NETWORKS = ['Disabled', 'Managed', 'Unmanaged'] as const;

export const baremetalInput = z.strictObject({
  ...vipInput,
  type: z.literal('baremetal'),
  hosts: z.array(z.record(z.string(), z.unknown())),
  provisioningNetwork: z.enum(NETWORKS).optional(),
  bootstrapOsImage: given.optional(),
  clusterOsImage: given.optional(),
});
type Input = Given<typeof baremetalInput>;

const peers = list({
  peerAddress: text,
  peerASN: whole,
  password: text,
  port: whole,
  bfdEnabled: text,
  ebgpMultiHop: text,
  holdTime: text,
  keepaliveTime: text,
});
const host = {
  name: text,
  role: text,
  bootMACAddress: text,
  bmc: part({
    address: text,
    username: text,
    password: text,
    disableCertificateVerification: flag,
  }),
  hardwareProfile: text,
  rootDeviceHints: part({
    deviceName: text,
    hctl: text,
    model: text,
    vendor: text,
    serialNumber: text,
    minSizeGigabytes: whole,
    wwn: text,
    wwnWithExtension: text,
    wwnVendorExtension: text,
    rotational: flag,
  }),
  bootMode: text,
  networkConfig: z.unknown().optional(),
  bgpPeers: peers,
};
const section = {
  ...vipFields,
  hosts: list(host),
  provisioningNetwork: text,
  provisioningNetworkCIDR: text,
  provisioningNetworkInterface: text,
  provisioningNetworkGateway: text,
  provisioningBridge: text,
  provisioningMACAddress: text,
  provisioningDHCPRange: text,
  provisioningDHCPExternal: flag,
  provisioningHostIP: text,
  clusterProvisioningIP: text,
  bootstrapProvisioningIP: text,
  bootstrapExternalStaticIP: text,
  bootstrapExternalStaticGateway: text,
  bootstrapExternalStaticDNS: text,
  bootstrapOSImage: text,
  clusterOSImage: text,
  externalBridge: text,
  externalMACAddress: text,
  libvirtURI: text,
  additionalNTPServers: texts,
  bmcVerifyCA: text,
  defaultMachinePlatform: part({}),
  bgpVIPConfig: part({ localASN: whole, peers, communities: texts }),
};
type Host = Fields<typeof host>;

export const baremetal = definePlatform({
  traits: {
    name: 'baremetal',
    mixedArchitectures: 'arm64-workers',
    twoNodes: true,
    capabilities: ['baremetal'],
  },
  section,
  pool: {},
  build: (input: Input) => ({
    ...buildVips(input),
    provisioningNetwork: input.provisioningNetwork ?? 'Disabled',
    ...(input.bootstrapOsImage ? { bootstrapOSImage: input.bootstrapOsImage } : {}),
    ...(input.clusterOsImage ? { clusterOSImage: input.clusterOsImage } : {}),
    hosts: input.hosts.map((one) => ({ ...one })),
  }),
  check: (own, config) => [
    ...checkVips('platform.baremetal', own, config, true),
    ...checkCount(config, own.hosts ?? []),
    ...(own.hosts ?? []).flatMap((one, index, all) =>
      checkHost(one, `${PATH}[${index}]`, all.slice(0, index)),
    ),
    ...oneOf('platform.baremetal.provisioningNetwork', own.provisioningNetwork, NETWORKS),
    ...checkProvisioningRange(own.provisioningNetworkCIDR),
    ...ADDRESSES.flatMap((field) =>
      when(!!own[field] && !parseAddress(own[field] ?? ''), () =>
        error(`platform.baremetal.${field}`, `"${own[field]}" is not an address`, 'Write one'),
      ),
    ),
  ],
});

const PATH = 'platform.baremetal.hosts';
const ADDRESSES = [
  'clusterProvisioningIP',
  'bootstrapProvisioningIP',
  'provisioningNetworkGateway',
] as const;

const checkProvisioningRange = (range: string | undefined): Violation[] =>
  when(range !== undefined && !parseCidr(range), () =>
    error(
      'platform.baremetal.provisioningNetworkCIDR',
      `"${range}" is not a range`,
      'Write it as "172.22.0.0/24"',
    ),
  );

/** Enough of them; one without a role serves wherever one is missing. */
function checkCount(config: MachinesConfig, hosts: readonly Host[]): Violation[] {
  const { masters, arbiters, workers } = countMachines(config);
  const all = masters + arbiters + workers;
  const ofRole = (name: string) => hosts.filter(({ role }) => role === name).length;
  const free = hosts.length - ofRole('master') - ofRole('arbiter') - ofRole('worker');
  const lacking = Object.entries({ master: masters, arbiter: arbiters, worker: workers })
    .map(([role, wanted]) => ({ role, count: Math.max(0, wanted - ofRole(role)) }))
    .filter(({ count }) => count > 0);
  const open = lacking.reduce((sum, { count }) => sum + count, 0);
  return when(open > free, () =>
    error(
      PATH,
      `it has ${hosts.length} hosts for ${all} machines, and ${open - free} more are needed for ${lacking.map(({ role }) => role).join(', ')}`,
      'Name one for each, with that role or none',
    ),
  );
}

/** Each with a name, a way to start it, and a disk and networks that can be. */
function checkHost(one: Host, path: string, earlier: readonly Host[]): Violation[] {
  const mac = macOf(one);
  const { name = '', rootDeviceHints, bootMode } = one;
  return [
    ...when(!isDnsName(name), () =>
      error(`${path}.name`, `"${name}" is not a name`, 'Use lower case letters, digits and dashes'),
    ),
    ...when(name !== '' && earlier.some((other) => other.name === name), () =>
      error(`${path}.name`, 'another host has it too', 'Use another name'),
    ),
    ...when(!/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac), () =>
      error(
        `${path}.bootMACAddress`,
        `"${one.bootMACAddress ?? ''}" is not a MAC address`,
        'Write it as "52:54:00:00:00:01"',
      ),
    ),
    ...when(
      earlier.some((other) => macOf(other) === mac),
      () =>
        error(`${path}.bootMACAddress`, 'another host has it too', 'Use the address of this host'),
    ),
    ...missing(`${path}.bmc`, one.bmc ?? {}, ['address', 'username', 'password']),
    ...oneOf(`${path}.bootMode`, bootMode, ['UEFI', 'UEFISecureBoot', 'legacy']),
    ...checkDevice(`${path}.rootDeviceHints.deviceName`, rootDeviceHints?.deviceName),
    ...checkNetworkConfig(`${path}.networkConfig`, one.networkConfig),
  ];
}

function checkDevice(path: string, device: string | undefined): Violation[] {
  return when(!!device && !/^\/dev\/(?:disk\/by-path\/)?[^/]*$/.test(device), () =>
    error(path, `"${device}" is not a device`, 'Write a name below /dev or /dev/disk/by-path'),
  );
}

/** The state of its network as nmstate has it; of that, only what the installer looks at. */
function checkNetworkConfig(path: string, config: unknown): Violation[] {
  if (config === undefined) return [];
  if (!isObject(config)) return [error(path, 'it is not a network state', 'Write it as nmstate')];
  const interfaces = Array.isArray(config.interfaces) ? config.interfaces : [];
  return interfaces.flatMap((one: unknown, index) => {
    const mtu = isObject(one) ? one.mtu : undefined;
    return when(mtu !== undefined && typeof mtu !== 'number', () =>
      error(`${path}.interfaces[${index}].mtu`, 'it is not a number', 'Write it without quotes'),
    );
  });
}

const macOf = ({ bootMACAddress }: Host): string => bootMACAddress?.toLowerCase() ?? '';
