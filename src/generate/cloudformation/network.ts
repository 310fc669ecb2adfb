import { endpointsPart } from './network-endpoints.ts';
import { type NetworkInput, type NetworkPlan, planNetwork } from './network-input.ts';
import {
  egressGateway,
  IPV6_BLOCK,
  ipv6Block,
  privateIpv6Route,
  publicIpv6Route,
  subnetIpv6,
} from './network-ipv6.ts';
import { existingPart, type Places } from './network-places.ts';
import {
  FIRST_PUBLIC_PART,
  networkOutputs,
  type Zone,
  zoneParameters,
  zonesOf,
} from './network-zones.ts';
import { type SiteStack, tagsOf } from './tags.ts';
import {
  getAtt,
  hole,
  output,
  policy,
  ref,
  resource,
  sub,
  type Template,
  type TemplatePart,
  type TemplateResource,
  templateFrom,
  type Value,
} from './template.ts';

/**
 * The network of a site: VPC, subnets, routes, endpoints, private DNS, and a bucket for Ignition.
 * From the private subnets of a disconnected site there is no way out at all.
 */
export function networkTemplate(input: NetworkInput): Template {
  const plan = planNetwork(input);
  const { part, places } = plan.existing ? existingPart(plan, plan.existing) : subnetsPart(plan);
  return templateFrom(`Network of the ${plan.mode} site ${plan.site}`, [
    part,
    endpointsPart(plan, places),
    ...(plan.zoneName ? [zonePart(input, plan.zoneName, places)] : []),
    ...(plan.bucket ? [bucketPart(plan)] : []),
  ]);
}

/** The zone the installer writes `api`, `api-int` and `*.apps` into. */
function zonePart(site: NetworkInput, name: string, { vpc }: Places): TemplatePart {
  const vpcs: Value = [{ VPCId: vpc, VPCRegion: ref('AWS::Region') }];
  return {
    resources: {
      HostedZone: resource('AWS::Route53::HostedZone', {
        Name: name,
        VPCs: vpcs,
        HostedZoneTags: tagsOf(site, 'zone'),
      }),
    },
    outputs: {
      HostedZoneId: output(`Private zone ${name}`, ref('HostedZone')),
    },
  };
}

/** The bucket of the bastion's Ignition config. It holds keys, so all other access is denied. */
function bucketPart(site: SiteStack): TemplatePart {
  return {
    resources: {
      IgnitionBucket: resource(
        'AWS::S3::Bucket',
        {
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
            ],
          },
          OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
          PublicAccessBlockConfiguration: {
            BlockPublicAcls: true,
            BlockPublicPolicy: true,
            IgnorePublicAcls: true,
            RestrictPublicBuckets: true,
          },
          Tags: tagsOf(site, 'ignition'),
        },
        { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' },
      ),
      IgnitionBucketPolicy: resource('AWS::S3::BucketPolicy', {
        Bucket: ref('IgnitionBucket'),
        PolicyDocument: ONLY_TLS,
      }),
    },
    outputs: {
      IgnitionBucket: output(
        'Bucket for the Ignition config of the bastion',
        ref('IgnitionBucket'),
      ),
    },
  };
}

const ONLY_TLS = policy({
  Effect: 'Deny',
  Principal: '*',
  Action: 's3:*',
  Resource: [getAtt('IgnitionBucket', 'Arn'), sub(`${hole('IgnitionBucket.Arn')}/*`)],
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});

/** Load balancers of the cluster belong here. */
const INTERNAL = { 'kubernetes.io/role/internal-elb': '1' };
/** The cluster is private: it must not take the subnets of the bastion. */
const UNMANAGED = { 'kubernetes.io/cluster/unmanaged': 'true' };
const EVERYWHERE = '0.0.0.0/0';

/** A new VPC with its subnets and the ways between and out of them. */
function subnetsPart(plan: NetworkPlan): { part: TemplatePart; places: Places } {
  const zones = zonesOf(plan);
  const resources = {
    Vpc: vpc(plan),
    ...(plan.dualStack ? { [IPV6_BLOCK]: ipv6Block() } : {}),
    ...(plan.dualStack && plan.nat !== 'none' ? egressGateway(plan) : {}),
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

const vpc = (plan: NetworkPlan): TemplateResource =>
  resource('AWS::EC2::VPC', {
    CidrBlock: plan.cidr,
    EnableDnsSupport: true,
    EnableDnsHostnames: true,
    Tags: tagsOf(plan, 'vpc'),
  });

function publicSide(plan: NetworkPlan, zones: readonly Zone[]): Record<string, TemplateResource> {
  return {
    InternetGateway: resource('AWS::EC2::InternetGateway', { Tags: tagsOf(plan, 'internet') }),
    InternetGatewayAttachment: resource('AWS::EC2::VPCGatewayAttachment', {
      VpcId: ref('Vpc'),
      InternetGatewayId: ref('InternetGateway'),
    }),
    PublicRouteTable: routeTable(plan, 'public'),
    PublicRoute: resource(
      'AWS::EC2::Route',
      {
        RouteTableId: ref('PublicRouteTable'),
        DestinationCidrBlock: EVERYWHERE,
        GatewayId: ref('InternetGateway'),
      },
      { DependsOn: 'InternetGatewayAttachment' },
    ),
    ...(plan.dualStack ? { PublicIpv6Route: publicIpv6Route() } : {}),
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
    [`NatAddress${number}`]: resource(
      'AWS::EC2::EIP',
      { Domain: 'vpc', Tags: tagsOf(plan, `nat-${number}`) },
      { DependsOn: 'InternetGatewayAttachment' },
    ),
    [`NatGateway${number}`]: resource('AWS::EC2::NatGateway', {
      AllocationId: getAtt(`NatAddress${number}`, 'AllocationId'),
      SubnetId: ref(`PublicSubnet${number}`),
      Tags: tagsOf(plan, `nat-${number}`),
    }),
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
    ...(plan.dualStack && plan.nat !== 'none'
      ? { [`PrivateIpv6Route${number}`]: privateIpv6Route(`PrivateRouteTable${number}`) }
      : {}),
  };
}

const natRoute = (number: number, gateway: number): TemplateResource =>
  resource('AWS::EC2::Route', {
    RouteTableId: ref(`PrivateRouteTable${number}`),
    DestinationCidrBlock: EVERYWHERE,
    NatGatewayId: ref(`NatGateway${gateway}`),
  });

function subnet(
  plan: NetworkPlan,
  { number, name }: Zone,
  kind: 'public' | 'private',
  range: string,
  tags: Readonly<Record<string, string>>,
): TemplateResource {
  const part = kind === 'private' ? number - 1 : FIRST_PUBLIC_PART + number - 1;
  return resource(
    'AWS::EC2::Subnet',
    {
      VpcId: ref('Vpc'),
      AvailabilityZone: name,
      CidrBlock: range,
      ...(plan.dualStack ? subnetIpv6(part) : {}),
      MapPublicIpOnLaunch: false,
      Tags: tagsOf(plan, `${kind}-${number}`, tags),
    },
    plan.dualStack ? { DependsOn: IPV6_BLOCK } : {},
  );
}

const routeTable = (plan: NetworkPlan, name: string): TemplateResource =>
  resource('AWS::EC2::RouteTable', { VpcId: ref('Vpc'), Tags: tagsOf(plan, name) });

const association = (subnetName: string, table: string): TemplateResource =>
  resource('AWS::EC2::SubnetRouteTableAssociation', {
    SubnetId: ref(subnetName),
    RouteTableId: ref(table),
  });
