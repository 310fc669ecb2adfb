import { knows, sinceOf } from '../../../../openshift/features.ts';
import type { InstallFacts } from '../../facts.ts';
import { error, repeated, type Violation, warning, when } from '../../violation.ts';
import type { AwsSection } from './fields.ts';

/** A subnet as the config names it, in the old field or the new. */
export interface ConfiguredSubnet {
  readonly path: string;
  readonly id: string;
  readonly roles: readonly string[];
}

const ROLES = [
  'ClusterNode',
  'BootstrapNode',
  'IngressControllerLB',
  'ControlPlaneInternalLB',
  'ControlPlaneExternalLB',
  'EdgeNode',
];
const MAX_INGRESS_SUBNETS = 10;

/** The subnets of a config as such, without a look at the VPC. */
export function checkSubnets(
  section: AwsSection,
  publish: string,
  facts: InstallFacts,
): Violation[] {
  const subnets = subnetsOf(section);
  return [
    ...checkSubnetFields(section, facts),
    ...subnets.flatMap(checkId),
    ...checkRoles(subnets, publish),
    ...subnets.flatMap(checkRolesOfOne),
  ];
}

export function subnetsOf(aws: AwsSection): ConfiguredSubnet[] {
  const old = (aws.subnets ?? []).map((id, index) => ({
    path: `platform.aws.subnets[${index}]`,
    id,
    roles: [],
  }));
  const now = (aws.vpc?.subnets ?? []).map(({ id, roles }, index) => ({
    path: `platform.aws.vpc.subnets[${index}]`,
    id,
    roles: (roles ?? []).map(({ type }) => type),
  }));
  return [...old, ...now];
}

function checkSubnetFields(aws: AwsSection, facts: InstallFacts): Violation[] {
  const knowsVpc = knows(facts.version, 'awsVpcSubnets');
  return [
    ...when(aws.subnets !== undefined && aws.vpc?.subnets !== undefined, () =>
      error('platform.aws.subnets', 'vpc.subnets is set too', 'Keep only vpc.subnets'),
    ),
    ...when(aws.vpc?.subnets !== undefined && !knowsVpc, () =>
      error(
        'platform.aws.vpc',
        `releases before ${sinceOf('awsVpcSubnets')} do not know it`,
        'Use platform.aws.subnets',
      ),
    ),
    ...when(aws.subnets !== undefined && facts.version !== undefined && knowsVpc, () =>
      warning('platform.aws.subnets', 'it is deprecated', 'Use platform.aws.vpc.subnets'),
    ),
  ];
}

function checkId(
  { path, id }: ConfiguredSubnet,
  index: number,
  all: readonly ConfiguredSubnet[],
): Violation[] {
  const twice = all.slice(0, index).some((other) => other.id === id);
  return [
    ...when(!/^subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})$/.test(id), () =>
      error(path, `"${id}" is not a subnet id`, 'Write it as "subnet-" and its hex digits'),
    ),
    ...when(twice, () => error(path, `"${id}" stands there twice`, 'Remove one')),
  ];
}

function checkRoles(subnets: readonly ConfiguredSubnet[], publish: string): Violation[] {
  const path = 'platform.aws.vpc.subnets';
  const withRoles = subnets.filter(({ roles }) => roles.length > 0);
  if (withRoles.length === 0) return [];
  const needed = [
    ...ROLES.slice(0, 4),
    ...(publish === 'External' ? ['ControlPlaneExternalLB'] : []),
  ];
  const used = new Set(withRoles.flatMap(({ roles }) => roles));
  const ingress = withRoles.filter(({ roles }) => roles.includes('IngressControllerLB')).length;
  return [
    ...when(withRoles.length < subnets.length, () =>
      error(path, 'some subnets have roles and some have none', 'Give roles to all or to none'),
    ),
    ...[...used]
      .filter((role) => !ROLES.includes(role))
      .map((role) => error(path, `"${role}" is not a role`, `Use ${ROLES.join(', ')}`)),
    ...needed
      .filter((role) => !used.has(role))
      .map((role) => error(path, `no subnet has the role ${role}`, `Give ${role} to one per zone`)),
    ...when(publish === 'Internal' && used.has('ControlPlaneExternalLB'), () =>
      error(
        path,
        'a private cluster has no external load balancer',
        'Remove ControlPlaneExternalLB',
      ),
    ),
    ...when(ingress > MAX_INGRESS_SUBNETS, () =>
      error(
        path,
        `${ingress} subnets have the role IngressControllerLB`,
        `Use at most ${MAX_INGRESS_SUBNETS}`,
      ),
    ),
  ];
}

/** Roles that one subnet cannot have together. */
function checkRolesOfOne({ path, roles }: ConfiguredSubnet): Violation[] {
  const balancers = ['ControlPlaneExternalLB', 'ControlPlaneInternalLB'];
  return [
    ...when(repeated(roles).length > 0, () =>
      error(path, 'a role stands there twice', 'Remove one'),
    ),
    ...when(roles.includes('EdgeNode') && roles.length > 1, () =>
      error(path, 'EdgeNode is its role, and others are too', 'Keep EdgeNode alone'),
    ),
    ...when(
      balancers.every((role) => roles.includes(role)),
      () => error(path, 'it has both load balancers of the control plane', 'Use two subnets'),
    ),
  ];
}
