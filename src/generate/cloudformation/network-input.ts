import { AtollError } from '../../core/errors.ts';
import { isDnsName } from '../dns-name.ts';
import { parseCidr } from '../ip.ts';
import { checkSite, type SiteStack } from './tags.ts';

export interface NetworkInput extends SiteStack {
  /** Whether there is a way out of the private subnets. */
  readonly mode: 'disconnected' | 'private';
  /** Only needed where AWS names its services otherwise. */
  readonly region?: string | undefined;
  readonly cidr?: string | undefined;
  /** How many availability zones, or which. */
  readonly zones?: number | readonly string[] | undefined;
  /** Subnets with an internet gateway, where a bastion has its leg outside. */
  readonly publicSubnets?: boolean | undefined;
  /** How a private site gets out; a disconnected one never does. */
  readonly nat?: Nat | undefined;
  /** Services that get an interface endpoint: short names, or whole service names. */
  readonly endpoints?: readonly string[] | undefined;
  /** The gateway endpoint for S3. */
  readonly s3?: boolean | undefined;
  /** `<cluster>.<base domain>`: the private zone the installer will write into. */
  readonly zoneName?: string | undefined;
  /** A bucket for the Ignition config of the bastion. */
  readonly bucket?: boolean | undefined;
  /** IPv6 beside IPv4, from the ranges of AWS. */
  readonly dualStack?: boolean | undefined;
  /** A VPC that is there already: only endpoints, zone and bucket are made. */
  readonly existing?: ExistingNetwork | undefined;
}

export type Nat = 'none' | 'single' | 'per-zone';

export interface ExistingNetwork {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  /** Of the private subnets. */
  readonly routeTableIds?: readonly string[] | undefined;
}

/** The same with every default filled in. */
export interface NetworkPlan extends SiteStack {
  readonly mode: NetworkInput['mode'];
  readonly region: string | undefined;
  readonly cidr: string;
  readonly zoneNames: readonly string[] | undefined;
  readonly zoneCount: number;
  readonly publicSubnets: boolean;
  readonly nat: Nat;
  readonly endpoints: readonly string[];
  readonly s3: boolean;
  readonly zoneName: string | undefined;
  readonly bucket: boolean;
  readonly dualStack: boolean;
  readonly existing: ExistingNetwork | undefined;
}

/** What installer, machines and operators call from inside a cluster without a way out. */
export const CLOSED_NETWORK_ENDPOINTS = ['ec2', 'elasticloadbalancing', 'sts'] as const;

const MAX_ZONES = 3;

export function planNetwork(input: NetworkInput): NetworkPlan {
  checkSite(input);
  const closed = input.mode === 'disconnected';
  const publicSubnets = input.publicSubnets ?? true;
  const plan: NetworkPlan = {
    site: input.site,
    tags: input.tags,
    mode: input.mode,
    region: input.region,
    cidr: input.cidr ?? '10.0.0.0/16',
    ...zonesOf(input.zones ?? MAX_ZONES),
    publicSubnets,
    nat: input.nat ?? (closed || !publicSubnets ? 'none' : 'per-zone'),
    endpoints: [...new Set(input.endpoints ?? (closed ? CLOSED_NETWORK_ENDPOINTS : []))],
    s3: input.s3 ?? true,
    zoneName: input.zoneName,
    bucket: input.bucket ?? true,
    dualStack: input.dualStack ?? false,
    existing: input.existing,
  };
  checkPlan(plan);
  return plan;
}

function zonesOf(zones: number | readonly string[]): Pick<NetworkPlan, 'zoneNames' | 'zoneCount'> {
  const zoneNames = typeof zones === 'number' ? undefined : [...new Set(zones)];
  const zoneCount = typeof zones === 'number' ? zones : new Set(zones).size;
  if (Number.isInteger(zoneCount) && zoneCount >= 1 && zoneCount <= MAX_ZONES) {
    return { zoneNames, zoneCount };
  }
  throw new AtollError('INPUT_INVALID', `Cannot make a network over ${zoneCount} zones`, {
    hint: 'Use one to three availability zones',
  });
}

function checkPlan(plan: NetworkPlan): void {
  if (plan.mode === 'disconnected' && plan.nat !== 'none') {
    throw new AtollError('INPUT_INVALID', 'Cannot give a disconnected site a NAT gateway', {
      hint: 'Drop it, or make the site private',
    });
  }
  if (plan.nat !== 'none' && !plan.publicSubnets) {
    throw new AtollError('INPUT_INVALID', 'Cannot make a NAT gateway without public subnets', {
      hint: 'Keep the public subnets, or use no NAT',
    });
  }
  if (plan.zoneName !== undefined && !(isDnsName(plan.zoneName) && plan.zoneName.includes('.'))) {
    throw new AtollError('INPUT_INVALID', `Cannot make the DNS zone "${plan.zoneName}"`, {
      hint: 'Write the domain of the cluster, such as site.example.com',
    });
  }
  if (plan.dualStack && plan.existing) {
    throw new AtollError('INPUT_INVALID', 'Cannot give an existing network IPv6', {
      hint: 'Give it its IPv6 range yourself, or let the network be made',
    });
  }
  for (const name of plan.endpoints) checkEndpoint(name);
  if (plan.existing) checkExisting(plan.existing, plan);
}

function checkEndpoint(name: string): void {
  if (name === 's3') {
    throw new AtollError('INPUT_INVALID', 'Cannot make an interface endpoint for "s3"', {
      hint: 'S3 has a gateway endpoint, which every network gets and which costs nothing',
    });
  }
  if (/^[a-z0-9]+(?:[.-][a-z0-9]+)*$/.test(name)) return;
  throw new AtollError('INPUT_INVALID', `Cannot make an endpoint for "${name}"`, {
    hint: 'Write the last part of the service name, such as "ec2", or all of it',
  });
}

function checkExisting(existing: ExistingNetwork, plan: NetworkPlan): void {
  const ids = [
    { kind: 'vpc', ids: [existing.vpcId] },
    { kind: 'subnet', ids: existing.subnetIds },
    { kind: 'rtb', ids: existing.routeTableIds ?? [] },
  ];
  for (const { kind, ids: some } of ids) {
    const wrong = some.find((id) => !new RegExp(`^${kind}-[0-9a-f]{8,17}$`).test(id));
    if (wrong === undefined) continue;
    throw new AtollError('INPUT_INVALID', `Cannot use "${wrong}"`, {
      hint: `Write the id of AWS, such as ${kind}-0123456789abcdef0`,
    });
  }
  if (plan.endpoints.length > 0 && existing.subnetIds.length === 0) {
    throw new AtollError('INPUT_INVALID', 'Cannot place endpoints: no subnet is named', {
      hint: 'Name the private subnets of the VPC',
    });
  }
  if (plan.s3 && (existing.routeTableIds ?? []).length === 0) {
    throw new AtollError('INPUT_INVALID', 'Cannot reach S3: no route table is named', {
      hint: 'Name the route tables of the subnets, or switch the S3 endpoint off if there is one',
    });
  }
  if (parseCidr(plan.cidr)?.family !== 4) {
    throw new AtollError('INPUT_INVALID', `Cannot use the range "${plan.cidr}" of the VPC`, {
      hint: 'Write it as an IPv4 range, such as 10.0.0.0/16',
    });
  }
}
