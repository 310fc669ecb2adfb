import type { InstallFacts } from '../../facts.ts';
import { error, type Violation, warning, when } from '../../violation.ts';
import type { AwsSubnetFacts } from './facts.ts';
import type { ConfiguredSubnet } from './subnets.ts';

interface KnownSubnet extends ConfiguredSubnet {
  readonly facts: AwsSubnetFacts;
}

const UNMANAGED = 'kubernetes.io/cluster/unmanaged';

/** The configured subnets against those that really exist in the VPC. */
export function checkSubnetFacts(
  subnets: readonly ConfiguredSubnet[],
  isPrivate: boolean,
  facts: InstallFacts,
): Violation[] {
  const existing = facts.aws?.subnets;
  if (!existing || subnets.length === 0) return [];
  const known = subnets.flatMap((subnet) => {
    const found = existing.find(({ id }) => id === subnet.id);
    return found ? [{ ...subnet, facts: found }] : [];
  });
  return [
    ...subnets
      .filter(({ id }) => !existing.some((subnet) => subnet.id === id))
      .map(({ path, id }) => error(path, `"${id}" does not exist`, 'Name a subnet of this region')),
    ...checkOneVpc(known),
    ...checkKinds(known, isPrivate),
    ...checkOwners(known),
    ...checkStrangers(known, existing),
  ];
}

function checkOneVpc(known: readonly KnownSubnet[]): Violation[] {
  const vpcs = new Set(known.flatMap(({ facts }) => facts.vpcId ?? []));
  return when(vpcs.size > 1, () =>
    error('platform.aws', `its subnets lie in ${vpcs.size} VPCs`, 'Use subnets of one VPC'),
  );
}

function checkKinds(known: readonly KnownSubnet[], isPrivate: boolean): Violation[] {
  const inside = known.filter(({ facts }) => !facts.isPublic);
  const outside = known.filter(({ facts }) => facts.isPublic);
  const publicZones = new Set(outside.map(({ facts }) => facts.zone));
  const uncovered = inside.filter(({ facts }) => !publicZones.has(facts.zone));
  return [
    ...when(inside.length === 0, () =>
      error('platform.aws', 'it names no private subnet', 'Add one for the machines'),
    ),
    ...repeated(inside).map((subnet) => twice(subnet, 'private')),
    ...repeated(outside).map((subnet) => twice(subnet, 'public')),
    ...(isPrivate ? outside : []).map(({ path, id }) =>
      error(path, `"${id}" is public, and the cluster is private`, 'Remove it'),
    ),
    ...(isPrivate ? [] : uncovered).map(({ path, facts }) =>
      error(
        path,
        `zone ${facts.zone} has no public subnet`,
        'Add one, or write "publish: Internal"',
      ),
    ),
  ];
}

/** Subnets whose zone an earlier one already serves; with roles that is allowed. */
function repeated(subnets: readonly KnownSubnet[]): KnownSubnet[] {
  return subnets.filter(
    ({ facts, roles }, index) =>
      roles.length === 0 &&
      subnets.slice(0, index).some((other) => other.facts.zone === facts.zone),
  );
}

function twice({ path, facts }: KnownSubnet, kind: string): Violation {
  return error(path, `zone ${facts.zone} has a second ${kind} subnet`, 'Name one for each zone');
}

function checkOwners(known: readonly KnownSubnet[]): Violation[] {
  return known.flatMap(({ path, id, facts }) => {
    const tags = Object.entries(facts.tags ?? {});
    const owner = tags.find(
      ([key, value]) => /^kubernetes\.io\/cluster\/(?!unmanaged$)/.test(key) && value === 'owned',
    );
    return when(owner !== undefined, () =>
      error(
        path,
        `"${id}" belongs to another cluster (${owner?.[0]})`,
        'Use subnets that nobody owns',
      ),
    );
  });
}

/** Without roles, the load balancers of the cluster may take any subnet of the VPC. */
function checkStrangers(
  known: readonly KnownSubnet[],
  existing: readonly AwsSubnetFacts[],
): Violation[] {
  if (known.some(({ roles }) => roles.length > 0)) return [];
  const vpcs = new Set(known.flatMap(({ facts }) => facts.vpcId ?? []));
  return existing
    .filter(({ vpcId }) => vpcId === undefined || vpcs.has(vpcId))
    .filter(({ id, tags }) => !known.some((one) => one.id === id) && !(UNMANAGED in (tags ?? {})))
    .map(({ id }) =>
      warning(
        'platform.aws',
        `"${id}" of the same VPC is not part of the cluster, and load balancers may still use it`,
        `Tag it with ${UNMANAGED}, or give roles to the subnets of the cluster`,
      ),
    );
}
