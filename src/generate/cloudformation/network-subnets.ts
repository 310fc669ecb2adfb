import type { NetworkPlan } from './network-input.ts';
import type { Places } from './network-places.ts';
import { subnetPlan, type ZoneRanges } from './subnet-plan.ts';
import { tagsOf } from './tags.ts';
import {
  commaJoined,
  getAtt,
  type Output,
  type Parameter,
  type Resource,
  ref,
  type TemplatePart,
  type Value,
} from './template.ts';

/** Load balancers of the cluster belong here. */
const INTERNAL = { 'kubernetes.io/role/internal-elb': '1' };
/** The cluster is private: it must not take the subnets of the bastion. */
const UNMANAGED = { 'kubernetes.io/cluster/unmanaged': 'true' };
const EVERYWHERE = '0.0.0.0/0';

interface Zone {
  /** 1, 2 or 3: the end of all its names. */
  readonly number: number;
  readonly name: Value;
  readonly ranges: ZoneRanges;
}

/** A new VPC with its subnets and the ways between and out of them. */
export function subnetsPart(plan: NetworkPlan): { part: TemplatePart; places: Places } {
  const zones = subnetPlan(plan.cidr, plan.zoneCount).map((ranges, index) => ({
    number: index + 1,
    name: zoneName(plan, index),
    ranges,
  }));
  const resources = {
    Vpc: vpc(plan),
    ...(plan.publicSubnets ? publicSide(plan, zones) : {}),
    ...Object.assign({}, ...zones.map((zone) => privateSide(plan, zone))),
  } as Record<string, Resource>;
  const places = {
    vpc: ref('Vpc'),
    privateSubnets: zones.map(({ number }) => ref(`PrivateSubnet${number}`)),
    privateRouteTables: zones.map(({ number }) => ref(`PrivateRouteTable${number}`)),
    publicRouteTables: plan.publicSubnets ? [ref('PublicRouteTable')] : [],
  };
  return {
    part: { parameters: zoneParameters(plan), resources, outputs: outputs(plan, zones) },
    places,
  };
}

/** Named zones are parameters, because a template that hard-codes them works in one region only. */
function zoneName({ zoneNames }: NetworkPlan, index: number): Value {
  return zoneNames ? ref(`Zone${index + 1}`) : { 'Fn::Select': [index, { 'Fn::GetAZs': '' }] };
}

function zoneParameters({ zoneNames = [] }: NetworkPlan): Record<string, Parameter> {
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

const vpc = (plan: NetworkPlan): Resource => ({
  Type: 'AWS::EC2::VPC',
  Properties: {
    CidrBlock: plan.cidr,
    EnableDnsSupport: true,
    EnableDnsHostnames: true,
    Tags: tagsOf(plan, 'vpc'),
  },
});

function publicSide(plan: NetworkPlan, zones: readonly Zone[]): Record<string, Resource> {
  return {
    InternetGateway: {
      Type: 'AWS::EC2::InternetGateway',
      Properties: { Tags: tagsOf(plan, 'internet') },
    },
    InternetGatewayAttachment: {
      Type: 'AWS::EC2::VPCGatewayAttachment',
      Properties: { VpcId: ref('Vpc'), InternetGatewayId: ref('InternetGateway') },
    },
    PublicRouteTable: routeTable(plan, 'public'),
    PublicRoute: {
      Type: 'AWS::EC2::Route',
      DependsOn: 'InternetGatewayAttachment',
      Properties: {
        RouteTableId: ref('PublicRouteTable'),
        DestinationCidrBlock: EVERYWHERE,
        GatewayId: ref('InternetGateway'),
      },
    },
    ...Object.assign({}, ...zones.map((zone) => publicZone(plan, zone))),
  };
}

function publicZone(plan: NetworkPlan, zone: Zone): Record<string, Resource> {
  const { number, ranges } = zone;
  const withNat = plan.nat === 'per-zone' || (plan.nat === 'single' && number === 1);
  return {
    [`PublicSubnet${number}`]: subnet(plan, zone, 'public', ranges.public, UNMANAGED),
    [`PublicRoutes${number}`]: association(`PublicSubnet${number}`, 'PublicRouteTable'),
    ...(withNat ? natGateway(plan, number) : {}),
  };
}

function natGateway(plan: NetworkPlan, number: number): Record<string, Resource> {
  return {
    [`NatAddress${number}`]: {
      Type: 'AWS::EC2::EIP',
      DependsOn: 'InternetGatewayAttachment',
      Properties: { Domain: 'vpc', Tags: tagsOf(plan, `nat-${number}`) },
    },
    [`NatGateway${number}`]: {
      Type: 'AWS::EC2::NatGateway',
      Properties: {
        AllocationId: getAtt(`NatAddress${number}`, 'AllocationId'),
        SubnetId: ref(`PublicSubnet${number}`),
        Tags: tagsOf(plan, `nat-${number}`),
      },
    },
  };
}

function privateSide(plan: NetworkPlan, zone: Zone): Record<string, Resource> {
  const { number, ranges } = zone;
  const gateway = plan.nat === 'single' ? 1 : number;
  return {
    [`PrivateSubnet${number}`]: subnet(plan, zone, 'private', ranges.private, INTERNAL),
    [`PrivateRouteTable${number}`]: routeTable(plan, `private-${number}`),
    [`PrivateRoutes${number}`]: association(`PrivateSubnet${number}`, `PrivateRouteTable${number}`),
    ...(plan.nat === 'none' ? {} : { [`PrivateRoute${number}`]: natRoute(number, gateway) }),
  };
}

const natRoute = (number: number, gateway: number): Resource => ({
  Type: 'AWS::EC2::Route',
  Properties: {
    RouteTableId: ref(`PrivateRouteTable${number}`),
    DestinationCidrBlock: EVERYWHERE,
    NatGatewayId: ref(`NatGateway${gateway}`),
  },
});

function subnet(
  plan: NetworkPlan,
  { number, name }: Zone,
  kind: 'public' | 'private',
  range: string,
  tags: Readonly<Record<string, string>>,
): Resource {
  return {
    Type: 'AWS::EC2::Subnet',
    Properties: {
      VpcId: ref('Vpc'),
      AvailabilityZone: name,
      CidrBlock: range,
      MapPublicIpOnLaunch: false,
      Tags: tagsOf(plan, `${kind}-${number}`, tags),
    },
  };
}

const routeTable = (plan: NetworkPlan, name: string): Resource => ({
  Type: 'AWS::EC2::RouteTable',
  Properties: { VpcId: ref('Vpc'), Tags: tagsOf(plan, name) },
});

const association = (subnetName: string, table: string): Resource => ({
  Type: 'AWS::EC2::SubnetRouteTableAssociation',
  Properties: { SubnetId: ref(subnetName), RouteTableId: ref(table) },
});

function outputs(plan: NetworkPlan, zones: readonly Zone[]): Record<string, Output> {
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
