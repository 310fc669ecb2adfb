import { AtollError } from '../../core/errors.ts';
import { type Cidr, formatCidr, isCanonical, parseCidr } from '../ip.ts';
import type { NetworkPlan } from './network-input.ts';
import { VPC_IPV6_RANGE } from './network-ipv6.ts';
import {
  commaJoined,
  type Output,
  output,
  parameter,
  ref,
  type TemplateParameter,
  type Value,
} from './template.ts';

/** One availability zone of the network. */
export interface Zone {
  /** 1, 2 or 3: the end of all its names. */
  readonly number: number;
  readonly name: Value;
  readonly ranges: ZoneRanges;
}

export function zonesOf(plan: NetworkPlan): Zone[] {
  return subnetPlan(plan.cidr, plan.zoneCount).map((ranges, index) => ({
    number: index + 1,
    name: zoneName(plan, index),
    ranges,
  }));
}

/** Named zones are parameters, because a template that hard-codes them works in one region only. */
function zoneName({ zoneNames }: NetworkPlan, index: number): Value {
  return zoneNames ? ref(`Zone${index + 1}`) : { 'Fn::Select': [index, { 'Fn::GetAZs': '' }] };
}

export function zoneParameters({ zoneNames = [] }: NetworkPlan): Record<string, TemplateParameter> {
  return Object.fromEntries(
    zoneNames.map((name, index) => [
      `Zone${index + 1}`,
      parameter('AWS::EC2::AvailabilityZone::Name', `Availability zone ${index + 1}`, name),
    ]),
  );
}

/** What other stacks and an install-config need to know, lists in the order of the zones. */
export function networkOutputs(plan: NetworkPlan, zones: readonly Zone[]): Record<string, Output> {
  const all = (prefix: string) => commaJoined(zones.map(({ number }) => ref(`${prefix}${number}`)));
  const ranges = (kind: keyof ZoneRanges) => zones.map((zone) => zone.ranges[kind]).join(',');
  return {
    VpcId: output('VPC', ref('Vpc')),
    VpcCidr: output('Range of the VPC', plan.cidr),
    ...(plan.dualStack ? { VpcIpv6Cidr: output('IPv6 range of the VPC', VPC_IPV6_RANGE) } : {}),
    Zones: output('Zones of the subnets, in order', commaJoined(zones.map(({ name }) => name))),
    PrivateSubnetIds: output('Subnets of the cluster', all('PrivateSubnet')),
    PrivateSubnetCidrs: output('Their ranges', ranges('private')),
    PrivateRouteTableIds: output('Their route tables', all('PrivateRouteTable')),
    ...(plan.publicSubnets
      ? {
          PublicSubnetIds: output('Subnets of the bastion', all('PublicSubnet')),
          PublicSubnetCidrs: output('Their ranges', ranges('public')),
          PublicRouteTableId: output('Their route table', ref('PublicRouteTable')),
        }
      : {}),
  };
}

/** Address ranges of the subnets in one zone. */
interface ZoneRanges {
  readonly private: string;
  readonly public: string;
}

/** The range is cut into eight: up to three private parts, up to three public ones, two are spare. */
const PARTS_BITS = 3;
export const FIRST_PUBLIC_PART = 4;
const WIDEST = 16;
const NARROWEST = 24;

/** Cuts the range of a VPC into subnets, for each zone the same wherever it is computed. */
export function subnetPlan(cidr: string, zones: number): ZoneRanges[] {
  const range = checkVpcRange(cidr);
  return Array.from({ length: zones }, (_, zone) => ({
    private: part(range, zone),
    public: part(range, FIRST_PUBLIC_PART + zone),
  }));
}

function part(range: Cidr, index: number): string {
  const prefix = range.prefix + PARTS_BITS;
  const value = range.value + (BigInt(index) << BigInt(32 - prefix));
  return formatCidr({ family: 4, value, prefix });
}

function checkVpcRange(cidr: string): Cidr {
  const range = parseCidr(cidr);
  const fits = range?.family === 4 && range.prefix >= WIDEST && range.prefix <= NARROWEST;
  if (range && fits && isCanonical(range)) return range;
  throw new AtollError('INPUT_INVALID', `Cannot make a VPC with the range "${cidr}"`, {
    hint: `Use an IPv4 range of /${WIDEST} to /${NARROWEST} without host bits, such as 10.0.0.0/16`,
  });
}
