import { containsAddress, parseAddress, parseCidr } from '../ip.ts';
import type { InstallFacts } from './facts.ts';
import { isAtLeast } from './release-version.ts';
import { type InstallConfig, platformOf } from './schema.ts';
import { error, type Violation, warning, when } from './violation.ts';

/** vSphere, Nutanix and bare metal, and that there is exactly one platform. */
export function checkPlatform(config: InstallConfig, facts: InstallFacts): Violation[] {
  const names = Object.keys(config.platform);
  const name = platformOf(config);
  return [
    ...when(names.length > 1, () =>
      error('platform', `it names ${names.join(' and ')}`, 'Keep one platform'),
    ),
    ...when(name === undefined, () =>
      error(
        'platform',
        'it names none that is supported',
        'Use aws, vsphere, nutanix, baremetal or none',
      ),
    ),
    ...checkVips(config, facts),
    ...checkOsImage(config, facts),
    ...checkVsphere(config),
    ...checkNutanix(config),
    ...checkHosts(config),
  ];
}

function checkVips(config: InstallConfig, facts: InstallFacts): Violation[] {
  const name = platformOf(config);
  if (name !== 'vsphere' && name !== 'nutanix' && name !== 'baremetal') return [];
  if (name === 'vsphere' && !isAtLeast(facts.version, '4.13')) return [];
  const { apiVIPs = [], ingressVIPs = [] } = config.platform[name] ?? {};
  const path = `platform.${name}`;
  const shared = apiVIPs.filter((vip) => ingressVIPs.includes(vip));
  return [
    ...Object.entries({ apiVIPs, ingressVIPs }).flatMap(([field, vips]) => [
      ...when(vips.length === 0, () =>
        error(`${path}.${field}`, 'it is empty', 'Name an unused address of the machine network'),
      ),
      ...vips.flatMap((vip, index) => checkVip(config, `${path}.${field}[${index}]`, vip)),
    ]),
    ...when(shared.length > 0, () =>
      error(
        `${path}.ingressVIPs`,
        `${shared.join(', ')} is an API address too`,
        'Use another address',
      ),
    ),
  ];
}

function checkVip(config: InstallConfig, path: string, vip: string): Violation[] {
  const address = parseAddress(vip);
  if (!address) return [error(path, `"${vip}" is not an address`, 'Write an IPv4 or IPv6 address')];
  const machines = (config.networking?.machineNetwork ?? []).flatMap(
    ({ cidr }) => parseCidr(cidr) ?? [],
  );
  return when(!machines.some((range) => containsAddress(range, address)), () =>
    error(
      path,
      `${vip} is outside of networking.machineNetwork`,
      'Use an address of the machine network',
    ),
  );
}

/** Where there is no internet, the image of the operating system must come from inside too. */
function checkOsImage(config: InstallConfig, facts: InstallFacts): Violation[] {
  const { vsphere, nutanix } = config.platform;
  const isClosed = facts.disconnected === true;
  const hasTemplate = (vsphere?.failureDomains ?? []).some(
    ({ topology }) => 'template' in topology,
  );
  return [
    ...when(isClosed && vsphere !== undefined && !vsphere.clusterOSImage && !hasTemplate, () =>
      warning(
        'platform.vsphere.clusterOSImage',
        'the installer would fetch the OVA from the internet',
        'Name a URL inside, or a template in the failure domain',
      ),
    ),
    ...when(
      isClosed && nutanix !== undefined && !nutanix.clusterOSImage && !nutanix.preloadedOSImageName,
      () =>
        warning(
          'platform.nutanix.clusterOSImage',
          'the installer would fetch the image from the internet',
          'Name a URL inside, or a preloaded image',
        ),
    ),
  ];
}

function checkVsphere(config: InstallConfig): Violation[] {
  const { vcenters = [], failureDomains = [] } = config.platform.vsphere ?? {};
  const servers = vcenters.map(({ server }) => server);
  return failureDomains.flatMap(({ server }, index) =>
    when(!servers.includes(server), () =>
      error(
        `platform.vsphere.failureDomains[${index}].server`,
        `"${server}" is not among the vcenters`,
        'Name a server of platform.vsphere.vcenters',
      ),
    ),
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function checkNutanix(config: InstallConfig): Violation[] {
  const { nutanix } = config.platform;
  if (!nutanix) return [];
  const path = 'platform.nutanix';
  const elements = nutanix.prismElements ?? [];
  const ids = [
    ...elements.map(({ uuid }, index) => [`${path}.prismElements[${index}].uuid`, uuid] as const),
    ...(nutanix.subnetUUIDs ?? []).map(
      (id, index) => [`${path}.subnetUUIDs[${index}]`, id] as const,
    ),
  ];
  return [
    ...when(elements.length !== 1, () =>
      error(`${path}.prismElements`, `it has ${elements.length} entries`, 'Name exactly one'),
    ),
    ...when((nutanix.subnetUUIDs ?? []).length === 0, () =>
      error(`${path}.subnetUUIDs`, 'it is empty', 'Name the subnet of the machines'),
    ),
    ...ids
      .filter(([, id]) => !UUID.test(id))
      .map(([where, id]) => error(where, `"${id}" is not a UUID`, 'Copy it from Prism')),
  ];
}

function checkHosts(config: InstallConfig): Violation[] {
  const hosts = config.platform.baremetal?.hosts;
  if (!hosts) return [];
  const path = 'platform.baremetal.hosts';
  const masters = config.controlPlane?.replicas ?? 3;
  const workers = (config.compute ?? []).reduce((sum, pool) => sum + (pool.replicas ?? 3), 0);
  const macs = hosts.map(({ bootMACAddress }) => bootMACAddress?.toLowerCase() ?? '');
  return [
    ...when(hosts.length < masters + workers, () =>
      error(
        path,
        `it has ${hosts.length} hosts for ${masters + workers} machines`,
        'Name one for each',
      ),
    ),
    ...hosts.flatMap((host, index) => [
      ...when(!/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(macs[index] ?? ''), () =>
        error(
          `${path}[${index}].bootMACAddress`,
          `"${host.bootMACAddress ?? ''}" is not a MAC address`,
          'Write it as "52:54:00:00:00:01"',
        ),
      ),
      ...when(macs.indexOf(macs[index] ?? '') !== index, () =>
        error(
          `${path}[${index}].bootMACAddress`,
          'another host has it too',
          'Use the address of this host',
        ),
      ),
      ...when(!host.bmc?.address, () =>
        error(`${path}[${index}].bmc.address`, 'it is missing', 'Name the address of its BMC'),
      ),
    ]),
  ];
}
