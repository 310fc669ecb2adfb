import type { NetworkPlan } from './network-input.ts';
import type { Places } from './network-places.ts';
import { networkOutputs, type Zone, zoneParameters, zonesOf } from './network-zones.ts';
import { tagsOf } from './tags.ts';
import { getAtt, ref, type TemplatePart, type TemplateResource } from './template.ts';

/** Load balancers of the cluster belong here. */
const INTERNAL = { 'kubernetes.io/role/internal-elb': '1' };
/** The cluster is private: it must not take the subnets of the bastion. */
const UNMANAGED = { 'kubernetes.io/cluster/unmanaged': 'true' };
const EVERYWHERE = '0.0.0.0/0';

/** A new VPC with its subnets and the ways between and out of them. */
export function subnetsPart(plan: NetworkPlan): { part: TemplatePart; places: Places } {
  const zones = zonesOf(plan);
  const resources = {
    Vpc: vpc(plan),
    ...(plan.publicSubnets ? publicSide(plan, zones) : {}),
    ...Object.assign({}, ...zones.map((zone) => privateSide(plan, zone))),
  } as Record<string, TemplateResource>;
  const places = {
    vpc: ref('Vpc'),
    privateSubnets: zones.map(({ number }) => ref(`PrivateSubnet${number}`)),
    privateRouteTables: zones.map(({ number }) => ref(`PrivateRouteTable${number}`)),
    publicRouteTables: plan.publicSubnets ? [ref('PublicRouteTable')] : [],
  };
  return {
    part: { parameters: zoneParameters(plan), resources, outputs: networkOutputs(plan, zones) },
    places,
  };
}

const vpc = (plan: NetworkPlan): TemplateResource => ({
  Type: 'AWS::EC2::VPC',
  Properties: {
    CidrBlock: plan.cidr,
    EnableDnsSupport: true,
    EnableDnsHostnames: true,
    Tags: tagsOf(plan, 'vpc'),
  },
});

function publicSide(plan: NetworkPlan, zones: readonly Zone[]): Record<string, TemplateResource> {
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

function publicZone(plan: NetworkPlan, zone: Zone): Record<string, TemplateResource> {
  const { number, ranges } = zone;
  const withNat = plan.nat === 'per-zone' || (plan.nat === 'single' && number === 1);
  return {
    [`PublicSubnet${number}`]: subnet(plan, zone, 'public', ranges.public, UNMANAGED),
    [`PublicRoutes${number}`]: association(`PublicSubnet${number}`, 'PublicRouteTable'),
    ...(withNat ? natGateway(plan, number) : {}),
  };
}

function natGateway(plan: NetworkPlan, number: number): Record<string, TemplateResource> {
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

function privateSide(plan: NetworkPlan, zone: Zone): Record<string, TemplateResource> {
  const { number, ranges } = zone;
  const gateway = plan.nat === 'single' ? 1 : number;
  return {
    [`PrivateSubnet${number}`]: subnet(plan, zone, 'private', ranges.private, INTERNAL),
    [`PrivateRouteTable${number}`]: routeTable(plan, `private-${number}`),
    [`PrivateRoutes${number}`]: association(`PrivateSubnet${number}`, `PrivateRouteTable${number}`),
    ...(plan.nat === 'none' ? {} : { [`PrivateRoute${number}`]: natRoute(number, gateway) }),
  };
}

const natRoute = (number: number, gateway: number): TemplateResource => ({
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
): TemplateResource {
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

const routeTable = (plan: NetworkPlan, name: string): TemplateResource => ({
  Type: 'AWS::EC2::RouteTable',
  Properties: { VpcId: ref('Vpc'), Tags: tagsOf(plan, name) },
});

const association = (subnetName: string, table: string): TemplateResource => ({
  Type: 'AWS::EC2::SubnetRouteTableAssociation',
  Properties: { SubnetId: ref(subnetName), RouteTableId: ref(table) },
});
