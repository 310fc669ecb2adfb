import { isDnsName } from './dns-name.ts';
import type { InstallConfig } from './schema.ts';
import { error, type Violation, when } from './violation.ts';

const PATH = 'platform.baremetal.hosts';
const MODES = ['UEFI', 'UEFISecureBoot', 'legacy'];

type Host = NonNullable<NonNullable<InstallConfig['platform']['baremetal']>['hosts']>[number];

/** The machines of a cluster on bare metal: enough of them, each with a name and a way to start it. */
export function checkHosts(config: InstallConfig): Violation[] {
  const { baremetal } = config.platform;
  if (!baremetal) return [];
  const { hosts = [], provisioningNetwork = 'Managed' } = baremetal;
  return [
    ...checkCount(config, hosts),
    ...hosts.flatMap((host, index) => checkHost(host, `${PATH}[${index}]`, hosts.slice(0, index))),
    ...when(!['Disabled', 'Managed', 'Unmanaged'].includes(provisioningNetwork), () =>
      error(
        'platform.baremetal.provisioningNetwork',
        `"${provisioningNetwork}" does not exist`,
        'Write "Disabled", "Managed" or "Unmanaged"',
      ),
    ),
  ];
}

function checkCount(config: InstallConfig, hosts: readonly Host[]): Violation[] {
  const masters = config.controlPlane?.replicas ?? 3;
  const workers = (config.compute ?? []).reduce((sum, pool) => sum + (pool.replicas ?? 3), 0);
  const forMasters = hosts.filter(({ role }) => role !== 'worker').length;
  return [
    ...when(hosts.length < masters + workers, () =>
      error(
        PATH,
        `it has ${hosts.length} hosts for ${masters + workers} machines`,
        'Name one for each',
      ),
    ),
    ...when(hosts.length >= masters + workers && forMasters < masters, () =>
      error(
        PATH,
        `it has ${forMasters} hosts for the ${masters} of the control plane`,
        'Give more hosts the role "master"',
      ),
    ),
  ];
}

function checkHost(host: Host, path: string, earlier: readonly Host[]): Violation[] {
  const mac = macOf(host);
  const mode = host.bootMode;
  return [
    ...checkName(host.name ?? '', path, earlier),
    ...when(!/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac), () =>
      error(
        `${path}.bootMACAddress`,
        `"${host.bootMACAddress ?? ''}" is not a MAC address`,
        'Write it as "52:54:00:00:00:01"',
      ),
    ),
    ...when(
      earlier.some((other) => macOf(other) === mac),
      () =>
        error(`${path}.bootMACAddress`, 'another host has it too', 'Use the address of this host'),
    ),
    ...when(!host.bmc?.address, () =>
      error(`${path}.bmc.address`, 'it is missing', 'Name the address of its BMC'),
    ),
    ...when(typeof mode === 'string' && mode !== '' && !MODES.includes(mode), () =>
      error(`${path}.bootMode`, `it is "${mode}"`, `Write one of ${MODES.join(', ')}`),
    ),
  ];
}

function checkName(name: string, path: string, earlier: readonly Host[]): Violation[] {
  return [
    ...when(!isDnsName(name), () =>
      error(`${path}.name`, `"${name}" is not a name`, 'Use lower case letters, digits and dashes'),
    ),
    ...when(name !== '' && earlier.some((other) => other.name === name), () =>
      error(`${path}.name`, 'another host has it too', 'Use another name'),
    ),
  ];
}

const macOf = ({ bootMACAddress }: Host): string => bootMACAddress?.toLowerCase() ?? '';
