import { knows, sinceOf } from '../../openshift/features.ts';
import { containsAddress, parseCidr } from '../ip.ts';
import { type ConfiguredSubnet, checkSubnetFacts } from './check-aws-subnets.ts';
import { checkTags } from './check-aws-tags.ts';
import type { InstallFacts } from './facts.ts';
import type { AwsPlatform, InstallConfig } from './schema.ts';
import { error, type Violation, warning, when } from './violation.ts';

const ROLES = [
  'ClusterNode',
  'BootstrapNode',
  'IngressControllerLB',
  'ControlPlaneInternalLB',
  'ControlPlaneExternalLB',
  'EdgeNode',
];
const MAX_INGRESS_SUBNETS = 10;

/** The AWS part, as far as it can be judged from here and from what is known of the VPC. */
export function checkAws(config: InstallConfig, facts: InstallFacts): Violation[] {
  const { aws } = config.platform;
  if (!aws) return [];
  const subnets = subnetsOf(aws);
  return [
    ...when(!aws.region, () => error('platform.aws.region', 'it is missing', 'Name the region')),
    ...checkSubnetFields(aws, facts),
    ...subnets.flatMap(checkId),
    ...checkRoles(subnets, config.publish ?? 'External'),
    ...subnets.flatMap(checkRolesOfOne),
    ...checkHostedZone(config, aws, facts),
    ...checkEndpoints(aws),
    ...checkTags(aws),
    ...checkPrivate(config, aws, subnets, facts),
    ...checkSubnetFacts(config, subnets, facts),
    ...checkMachineNetwork(config, subnets, facts),
  ];
}

function subnetsOf(aws: AwsPlatform): ConfiguredSubnet[] {
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

function checkSubnetFields(aws: AwsPlatform, facts: InstallFacts): Violation[] {
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
    ...when(new Set(roles).size < roles.length, () =>
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

function checkHostedZone(
  config: InstallConfig,
  aws: AwsPlatform,
  facts: InstallFacts,
): Violation[] {
  const path = 'platform.aws.hostedZone';
  const vpcs = facts.aws?.hostedZoneVpcIds;
  const vpc = facts.aws?.vpcId;
  const mode = config.credentialsMode ?? '';
  return [
    ...when(aws.hostedZone !== undefined && subnetsOf(aws).length === 0, () =>
      error(path, 'it needs an existing VPC', 'Name its subnets, or remove the zone'),
    ),
    ...when(
      aws.hostedZone !== undefined && vpc !== undefined && vpcs?.includes(vpc) === false,
      () =>
        error(
          path,
          `"${aws.hostedZone}" is not associated with ${vpc}`,
          'Associate the zone with the VPC',
        ),
    ),
    ...when(aws.hostedZoneRole !== undefined && aws.hostedZone === undefined, () =>
      error(`${path}Role`, 'it needs hostedZone', 'Name the zone, or remove the role'),
    ),
    ...when(aws.hostedZoneRole !== undefined && !['Manual', 'Passthrough'].includes(mode), () =>
      error(`${path}Role`, 'it does not work in this credentialsMode', 'Use Manual or Passthrough'),
    ),
  ];
}

function checkEndpoints(aws: AwsPlatform): Violation[] {
  const endpoints = aws.serviceEndpoints ?? [];
  return endpoints.flatMap(({ name, url }, index) => [
    ...when(
      endpoints.slice(0, index).some((other) => other.name === name),
      () =>
        error(`platform.aws.serviceEndpoints[${index}].name`, `"${name}" has two`, 'Remove one'),
    ),
    ...when(!/^https:\/\/[^/?#\s]+\/?$/.test(url), () =>
      error(
        `platform.aws.serviceEndpoints[${index}].url`,
        `"${url}" of ${name} is not a plain https URL`,
        'Write "https://host" without path or query',
      ),
    ),
  ]);
}

function checkPrivate(
  config: InstallConfig,
  aws: AwsPlatform,
  subnets: readonly ConfiguredSubnet[],
  facts: InstallFacts,
): Violation[] {
  const isPrivate = config.publish === 'Internal';
  return [
    ...when((isPrivate || facts.disconnected === true) && subnets.length === 0, () =>
      error(
        knows(facts.version, 'awsVpcSubnets') ? 'platform.aws.vpc.subnets' : 'platform.aws.subnets',
        'it is empty: the installer would make a network with a way to the internet',
        'Name the private subnets of the VPC',
      ),
    ),
    ...when(facts.disconnected === true && !isPrivate, () =>
      error(
        'publish',
        'a disconnected cluster cannot be published to the internet',
        'Write "Internal"',
      ),
    ),
    ...when(
      facts.disconnected === true && !aws.hostedZone && aws.userProvisionedDNS !== 'Enabled',
      () =>
        warning(
          'platform.aws.hostedZone',
          'the ingress operator cannot reach Route 53 from a closed network',
          'Prepare a private zone with *.apps, or set userProvisionedDNS',
        ),
    ),
  ];
}

function checkMachineNetwork(
  config: InstallConfig,
  subnets: readonly ConfiguredSubnet[],
  facts: InstallFacts,
): Violation[] {
  const ranges = (config.networking?.machineNetwork ?? []).flatMap(
    ({ cidr }) => parseCidr(cidr) ?? [],
  );
  return subnets.flatMap(({ path, id }) => {
    const text = facts.aws?.subnets?.find((subnet) => subnet.id === id)?.cidr;
    const start = text === undefined ? undefined : parseCidr(text);
    return when(start !== undefined && !ranges.some((range) => containsAddress(range, start)), () =>
      error(
        path,
        `${text} of "${id}" is outside of networking.machineNetwork`,
        `Add ${text} or its VPC to machineNetwork`,
      ),
    );
  });
}
