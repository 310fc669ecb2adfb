import { knows } from '../../../openshift/features.ts';
import { isDnsName } from '../../dns-name.ts';
import { parseAddress, parseCidr } from '../../ip.ts';
import type { InstallFacts } from '../facts.ts';
import type { Fields } from '../fields.ts';
import { countMachines, type MachinesConfig, poolsOf } from '../sections/machines.ts';
import {
  error,
  missing,
  negative,
  oneOf,
  repeated,
  type Violation,
  warning,
  when,
} from '../violation.ts';
import { type FailureDomain, PATH, type pool, type Section } from './vsphere-section.ts';

/** What the installer would refuse, or what would fail later, of everything that is its own. */
export function checkVsphere(
  own: Section,
  config: MachinesConfig,
  facts: InstallFacts,
): Violation[] {
  return [
    ...checkPlaces(own, facts),
    ...oneOf(`${PATH}.diskType`, own.diskType, ['thin', 'thick', 'eagerZeroedThick']),
    ...checkPools(own, config),
    ...(own.hosts ? checkHosts(own.hosts, config) : []),
    ...checkNodeNetworks(own),
    ...checkOsImage(own, facts),
  ];
}

/** Servers and failure domains; of the one place that old releases know, the installer makes them. */
function checkPlaces(own: Section, { version }: InstallFacts): Violation[] {
  const { vcenters = [], failureDomains = [] } = own;
  const isOld = !!own.vCenter;
  const hasDomains = knows(version, 'vsphereFailureDomains');
  const zones = failureDomains.map(({ region, zone }) => `${region}/${zone}`);
  return [
    ...(hasDomains && !isOld ? missing(PATH, own, ['vcenters', 'failureDomains']) : []),
    ...when(hasDomains && isOld && version !== undefined, () =>
      warning(`${PATH}.vCenter`, 'it is deprecated', 'Use vcenters and failureDomains'),
    ),
    ...vcenters.flatMap((vcenter, index) => checkVcenter(vcenter, `${PATH}.vcenters[${index}]`)),
    ...failureDomains.flatMap((domain, index) =>
      checkDomain(own, domain, `${PATH}.failureDomains[${index}]`),
    ),
    ...repeated(failureDomains.map(({ name }) => name)).map(({ value, index }) =>
      error(`${PATH}.failureDomains[${index}].name`, `"${value}" stands there twice`, 'Rename it'),
    ),
    ...repeated(zones).map(({ value, index }) =>
      error(`${PATH}.failureDomains[${index}].zone`, `"${value}" is another's too`, 'Rename it'),
    ),
  ];
}

function checkVcenter(
  vcenter: NonNullable<Section['vcenters']>[number],
  path: string,
): Violation[] {
  const { server = '' } = vcenter;
  return [
    ...when(!isDnsName(server) && !parseAddress(server), () =>
      error(
        `${path}.server`,
        `"${server}" is not a host`,
        'Write a name in lower case or an address, without scheme and port',
      ),
    ),
    ...missing(path, vcenter, ['user', 'password', 'datacenters']),
  ];
}

function checkDomain(own: Section, domain: FailureDomain, path: string): Violation[] {
  const { server, topology } = domain;
  const { datacenter, tagIDs = [], networks = [] } = topology;
  const vcenter = own.vcenters?.find((one) => one.server === server);
  const known = vcenter?.datacenters ?? [];
  const places = `${path}.topology`;
  return [
    ...when(vcenter === undefined, () =>
      error(
        `${path}.server`,
        `"${server}" is not among the vcenters`,
        'Name a server of platform.vsphere.vcenters',
      ),
    ),
    ...missing(path, domain, ['name', 'region', 'zone']),
    ...missing(places, topology, ['datacenter', 'computeCluster', 'datastore', 'networks']),
    ...when(!!datacenter && known.length > 0 && !known.includes(datacenter), () =>
      error(
        `${places}.datacenter`,
        `"${datacenter}" is not among the datacenters of "${server}"`,
        'Add it there',
      ),
    ),
    ...checkPaths(places, topology),
    ...when(!!topology.template && !!own.clusterOSImage, () =>
      error(`${places}.template`, 'clusterOSImage is set too', 'Keep one of the two'),
    ),
    ...checkTypes(path, domain),
    ...when(networks.length > 10, () =>
      error(`${places}.networks`, `it has ${networks.length}`, 'Use at most 10'),
    ),
    ...when(tagIDs.length > 10 || !tagIDs.every((id) => TAG.test(id)), () =>
      error(
        `${places}.tagIDs`,
        'they are too many, or one is no tag',
        'Write at most 10, as "urn:vmomi:InventoryServiceTag:UUID:GLOBAL"',
      ),
    ),
  ];
}

/** Of a region and its zones: a datacenter and clusters, or a cluster and groups of its hosts. */
function checkTypes(path: string, { regionType, zoneType, topology }: FailureDomain): Violation[] {
  const pairs = ['/', 'Datacenter/ComputeCluster', 'ComputeCluster/HostGroup'];
  return [
    ...when(!pairs.includes(`${regionType ?? ''}/${zoneType ?? ''}`), () =>
      error(
        `${path}.zoneType`,
        `regionType and zoneType are "${regionType ?? ''}" and "${zoneType ?? ''}"`,
        'Use Datacenter and ComputeCluster, or ComputeCluster and HostGroup',
      ),
    ),
    ...(zoneType === 'HostGroup' ? missing(`${path}.topology`, topology, ['hostGroup']) : []),
  ];
}

const TAG = /^urn:vmomi:InventoryServiceTag:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[^:]+$/i;

/** The kind of place that a path of the inventory names after its datacenter, and how much follows. */
const PLACES = {
  computeCluster: /^\/(?<datacenter>.+?)\/host\/./,
  datastore: /^\/(?<datacenter>.+?)\/datastore\/./,
  folder: /^\/(?<datacenter>.+?)\/vm\/./,
  resourcePool: /^\/(?<datacenter>.+?)\/host\/(?<cluster>.+?)\/./,
} as const;

/** Short names are fine where the installer completes them: everywhere but for a resource pool. */
function checkPaths(path: string, topology: FailureDomain['topology']): Violation[] {
  const { datacenter, computeCluster = '', resourcePool = '' } = topology;
  const cluster = PLACES.resourcePool.exec(resourcePool)?.groups?.cluster;
  const wrong = Object.entries(PLACES).flatMap(([field, pattern]) => {
    const place = topology[field];
    if (typeof place !== 'string' || place === '') return [];
    if (!place.startsWith('/') && field !== 'resourcePool') return [];
    return when(pattern.exec(place)?.groups?.datacenter !== datacenter, () =>
      error(
        `${path}.${field}`,
        `"${place}" is not a whole path in the datacenter "${datacenter}"`,
        'Copy it from "govc ls" or the inventory',
      ),
    );
  });
  return [
    ...wrong,
    ...when(cluster !== undefined && !computeCluster.includes(cluster), () =>
      error(
        `${path}.resourcePool`,
        `"${resourcePool}" is not in "${computeCluster}"`,
        'Name a resource pool of that cluster',
      ),
    ),
  ];
}

function checkPools(own: Section, config: MachinesConfig): Violation[] {
  const domains = (own.failureDomains ?? []).map(({ name }) => name);
  return poolsOf(config).flatMap(({ path, pool: { platform } }) => {
    const of = (platform as { vsphere?: Fields<typeof pool> } | undefined)?.vsphere;
    if (!of) return [];
    const [cpus, cores] = [of.cpus || 4, of.coresPerSocket || 4];
    const place = `${path}.platform.vsphere`;
    return [
      ...negative(place, of),
      ...negative(`${place}.osDisk`, of.osDisk),
      ...when(cpus > 0 && cores > 0 && cpus % cores !== 0, () =>
        error(`${place}.cpus`, `${cpus} is no multiple of ${cores} per socket`, 'Make it one'),
      ),
      ...(of.dataDisks ?? []).flatMap((disk, index) =>
        missing(`${place}.dataDisks[${index}]`, disk, ['name', 'sizeGiB']),
      ),
      ...repeated(of.zones ?? []).map(({ value, index }) =>
        error(`${place}.zones[${index}]`, `"${value}" stands there twice`, 'Remove one'),
      ),
      ...(of.zones ?? []).flatMap((zone, index) =>
        when(!domains.includes(zone), () =>
          error(
            `${place}.zones[${index}]`,
            `"${zone}" is not a failure domain`,
            'Name one of platform.vsphere.failureDomains',
          ),
        ),
      ),
    ];
  });
}

function checkNodeNetworks({ nodeNetworking = {}, failureDomains = [] }: Section): Violation[] {
  const known = failureDomains.flatMap(({ topology }) => topology.networks ?? []);
  const { internal, external } = nodeNetworking;
  return Object.entries({ internal, external }).flatMap(([side, spec = {}]) => {
    const path = `${PATH}.nodeNetworking.${side}`;
    const { network, networkSubnetCidr = [], excludeNetworkSubnetCidr = [] } = spec;
    return [
      ...oneOf(`${path}.network`, network, known),
      ...checkRanges(`${path}.networkSubnetCidr`, networkSubnetCidr),
      ...checkRanges(`${path}.excludeNetworkSubnetCidr`, excludeNetworkSubnetCidr),
    ];
  });
}

const checkRanges = (path: string, ranges: readonly string[]): Violation[] =>
  ranges.flatMap((range, index) =>
    when(!parseCidr(range), () =>
      error(`${path}[${index}]`, `"${range}" is not a range`, 'Write it as "10.0.0.0/16"'),
    ),
  );

/** Machines with addresses of their own: one for each, and one to start with. */
function checkHosts(hosts: NonNullable<Section['hosts']>, config: MachinesConfig): Violation[] {
  const path = `${PATH}.hosts`;
  const { masters, workers } = countMachines(config);
  const wanted = { bootstrap: 1, 'control-plane': masters, compute: workers };
  return [
    ...Object.entries(wanted).flatMap(([name, count]) => {
      const found = hosts.filter(({ role }) => role === name).length;
      return when(found !== count, () =>
        error(path, `it has ${found} of the role ${name} for ${count}`, 'Name one for each'),
      );
    }),
    ...hosts.flatMap(({ role, networkDevice = {} }, index) => [
      ...oneOf(`${path}[${index}].role`, role, Object.keys(wanted)),
      ...missing(`${path}[${index}].networkDevice`, networkDevice, ['ipAddrs']),
    ]),
  ];
}

/** Where there is no internet, the image of the operating system must come from inside too. */
function checkOsImage(own: Section, { disconnected }: InstallFacts): Violation[] {
  const hasTemplate = (own.failureDomains ?? []).some(({ topology }) => topology.template);
  return when(disconnected === true && !own.clusterOSImage && !hasTemplate, () =>
    warning(
      `${PATH}.clusterOSImage`,
      'the installer would fetch the OVA from the internet',
      'Name a URL inside, or a template in the failure domain',
    ),
  );
}
