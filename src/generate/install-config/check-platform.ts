import { knows } from '../../openshift/features.ts';
import { containsAddress, parseAddress, parseCidr } from '../ip.ts';
import { checkHosts } from './check-hosts.ts';
import { checkNutanix } from './check-nutanix.ts';
import { checkVsphere } from './check-vsphere.ts';
import type { InstallFacts } from './facts.ts';
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
  if (name === 'vsphere' && !knows(facts.version, 'vsphereFailureDomains')) return [];
  const { apiVIPs = [], ingressVIPs = [] } = config.platform[name] ?? {};
  const path = `platform.${name}`;
  const shared = apiVIPs.filter((vip) => ingressVIPs.includes(vip));
  return [
    ...Object.entries({ apiVIPs, ingressVIPs }).flatMap(([field, vips]) => [
      ...when(vips.length === 0, () =>
        error(`${path}.${field}`, 'it is empty', 'Name an unused address of the machine network'),
      ),
      ...vips.flatMap((vip, index) => checkVip(config, `${path}.${field}[${index}]`, vip)),
      ...checkVipFamilies(config, `${path}.${field}`, vips),
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

/** One of each family at most, and first that of the first ranges. */
function checkVipFamilies(
  config: InstallConfig,
  path: string,
  vips: readonly string[],
): Violation[] {
  const families = vips.map((vip) => parseAddress(vip)?.family);
  const { machineNetwork = [], clusterNetwork = [], serviceNetwork = [] } = config.networking ?? {};
  const ranges = [machineNetwork[0]?.cidr, clusterNetwork[0]?.cidr, serviceNetwork[0]];
  const other = ranges.find(
    (range) => parseCidr(range ?? '') && parseCidr(range ?? '')?.family !== families[0],
  );
  return [
    ...when(new Set(families).size < families.length || families.length > 2, () =>
      error(path, `it has ${vips.length} addresses`, 'Name one, or one of each address family'),
    ),
    ...when(families[0] !== undefined && other !== undefined, () =>
      error(
        path,
        `its first address is of another family than "${other}"`,
        'Put the family of the first ranges first',
      ),
    ),
  ];
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
