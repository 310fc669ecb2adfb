import { parseAddress } from '../ip.ts';
import { isDnsName } from './dns-name.ts';
import type { InstallConfig } from './schema.ts';
import { error, type Violation, when } from './violation.ts';

type Platform = NonNullable<InstallConfig['platform']['vsphere']>;
type FailureDomain = NonNullable<Platform['failureDomains']>[number];

/** Servers and failure domains, as releases from 4.13 on have them. */
export function checkVsphere(config: InstallConfig): Violation[] {
  const { vcenters = [], failureDomains = [] } = config.platform.vsphere ?? {};
  return [
    ...vcenters.flatMap((vcenter, index) => {
      const path = `platform.vsphere.vcenters[${index}]`;
      return [
        ...when(!isDnsName(vcenter.server) && !parseAddress(vcenter.server), () =>
          error(
            `${path}.server`,
            `"${vcenter.server}" is not a host`,
            'Write a name in lower case or an address, without scheme and port',
          ),
        ),
        ...missing(path, vcenter, ['user', 'password', 'datacenters']),
      ];
    }),
    ...failureDomains.flatMap((domain, index) =>
      checkDomain(vcenters, domain, `platform.vsphere.failureDomains[${index}]`),
    ),
    ...failureDomains.flatMap(({ name }, index) =>
      when(
        failureDomains.slice(0, index).some((other) => other.name === name),
        () =>
          error(
            `platform.vsphere.failureDomains[${index}].name`,
            `"${name}" stands there twice`,
            'Use another name',
          ),
      ),
    ),
  ];
}

function checkDomain(
  vcenters: NonNullable<Platform['vcenters']>,
  domain: FailureDomain,
  path: string,
): Violation[] {
  const { server, topology } = domain;
  const { datacenter } = topology;
  const vcenter = vcenters.find((one) => one.server === server);
  const known = vcenter?.datacenters ?? [];
  return [
    ...when(vcenter === undefined, () =>
      error(
        `${path}.server`,
        `"${server}" is not among the vcenters`,
        'Name a server of platform.vsphere.vcenters',
      ),
    ),
    ...missing(path, domain, ['name', 'region', 'zone']),
    ...missing(`${path}.topology`, topology, [
      'datacenter',
      'computeCluster',
      'datastore',
      'networks',
    ]),
    ...when(
      typeof datacenter === 'string' && vcenter !== undefined && !known.includes(datacenter),
      () =>
        error(
          `${path}.topology.datacenter`,
          `"${datacenter}" is not among the datacenters of "${server}"`,
          'Add it there',
        ),
    ),
    ...checkPaths(`${path}.topology`, topology),
  ];
}

/** The kind of place that a path of the inventory names after its datacenter, and how much follows. */
const PLACES = {
  computeCluster: /^\/(?<datacenter>.+?)\/host\/./,
  datastore: /^\/(?<datacenter>.+?)\/datastore\/./,
  folder: /^\/(?<datacenter>.+?)\/vm\/./,
  resourcePool: /^\/(?<datacenter>.+?)\/host\/.+?\/./,
} as const;

/** Short names are fine where the installer completes them: everywhere but for a resource pool. */
function checkPaths(path: string, topology: FailureDomain['topology']): Violation[] {
  return Object.entries(PLACES).flatMap(([field, pattern]) => {
    const place = topology[field];
    if (typeof place !== 'string' || place === '') return [];
    if (!place.startsWith('/') && field !== 'resourcePool') return [];
    const isThere = pattern.exec(place)?.groups?.datacenter === topology.datacenter;
    return when(!isThere, () =>
      error(
        `${path}.${field}`,
        `"${place}" is not a whole path in the datacenter "${topology.datacenter}"`,
        'Copy it from "govc ls" or the inventory',
      ),
    );
  });
}

function missing(
  path: string,
  object: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Violation[] {
  const isEmpty = (value: unknown) =>
    value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  return fields
    .filter((field) => isEmpty(object[field]))
    .map((field) => error(`${path}.${field}`, 'it is missing', 'Name it'));
}
