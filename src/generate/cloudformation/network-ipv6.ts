import { type SiteStack, tagsOf } from './tags.ts';
import { getAtt, ref, resource, type TemplateResource, type Value } from './template.ts';

/** What gives the VPC its IPv6 range; whatever uses the range waits for it. */
export const IPV6_BLOCK = 'Ipv6Block';

export const VPC_IPV6_RANGE: Value = { 'Fn::Select': [0, getAtt('Vpc', 'Ipv6CidrBlocks')] };

const EVERYWHERE = '::/0';
const GATEWAY = 'EgressGateway';

export const ipv6Block = (): TemplateResource =>
  resource('AWS::EC2::VPCCidrBlock', { VpcId: ref('Vpc'), AmazonProvidedIpv6CidrBlock: true });

/** The /64 of a subnet: the range of the VPC has room for 256, of which eight are planned. */
export const subnetIpv6 = (part: number): Readonly<Record<string, Value>> => ({
  Ipv6CidrBlock: { 'Fn::Select': [part, { 'Fn::Cidr': [VPC_IPV6_RANGE, 8, 64] }] },
  AssignIpv6AddressOnCreation: true,
});

export const publicIpv6Route = (): TemplateResource =>
  resource(
    'AWS::EC2::Route',
    {
      RouteTableId: ref('PublicRouteTable'),
      DestinationIpv6CidrBlock: EVERYWHERE,
      GatewayId: ref('InternetGateway'),
    },
    { DependsOn: 'InternetGatewayAttachment' },
  );

/** Out, and never in: what NAT is for IPv4. */
export const egressGateway = (site: SiteStack): Record<string, TemplateResource> => ({
  [GATEWAY]: resource('AWS::EC2::EgressOnlyInternetGateway', {
    VpcId: ref('Vpc'),
    Tags: tagsOf(site, 'egress'),
  }),
});

export const privateIpv6Route = (table: string): TemplateResource =>
  resource('AWS::EC2::Route', {
    RouteTableId: ref(table),
    DestinationIpv6CidrBlock: EVERYWHERE,
    EgressOnlyInternetGatewayId: ref(GATEWAY),
  });
