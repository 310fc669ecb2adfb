import type { NetworkPlan } from './network-input.ts';
import { subnetPlan, type ZoneRanges } from './subnet-plan.ts';
import { commaJoined, type Output, ref, type TemplateParameter, type Value } from './template.ts';

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
      {
        Type: 'AWS::EC2::AvailabilityZone::Name',
        Description: `Availability zone ${index + 1}`,
        Default: name,
      },
    ]),
  );
}

/** What other stacks and an install-config need to know, lists in the order of the zones. */
export function networkOutputs(plan: NetworkPlan, zones: readonly Zone[]): Record<string, Output> {
  const all = (prefix: string) => commaJoined(zones.map(({ number }) => ref(`${prefix}${number}`)));
  const ranges = (kind: keyof ZoneRanges) => zones.map((zone) => zone.ranges[kind]).join(',');
  return {
    VpcId: { Description: 'VPC', Value: ref('Vpc') },
    VpcCidr: { Description: 'Range of the VPC', Value: plan.cidr },
    Zones: {
      Description: 'Zones of the subnets, in order',
      Value: commaJoined(zones.map(({ name }) => name)),
    },
    PrivateSubnetIds: { Description: 'Subnets of the cluster', Value: all('PrivateSubnet') },
    PrivateSubnetCidrs: { Description: 'Their ranges', Value: ranges('private') },
    PrivateRouteTableIds: { Description: 'Their route tables', Value: all('PrivateRouteTable') },
    ...(plan.publicSubnets
      ? {
          PublicSubnetIds: { Description: 'Subnets of the bastion', Value: all('PublicSubnet') },
          PublicSubnetCidrs: { Description: 'Their ranges', Value: ranges('public') },
          PublicRouteTableId: { Description: 'Their route table', Value: ref('PublicRouteTable') },
        }
      : {}),
  };
}
