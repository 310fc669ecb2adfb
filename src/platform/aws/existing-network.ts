import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { StackOutputs } from '../../generate/cloudformation/stack-outputs.ts';
import { SITE_TAG } from '../../generate/cloudformation/tags.ts';
import { listOf, textOf, type Xml } from '../shared/xml.ts';
import type { Aws } from './client/aws.ts';
import { awsNameOf } from './client/failure.ts';

export interface FoundSubnet {
  readonly id: string;
  readonly zone: string;
  readonly cidr: string;
  readonly routeTable: string;
  /** Through which gateways its addresses are reached or reach out. */
  readonly waysOut: readonly string[];
}

/** A network that somebody else made. */
export interface FoundNetwork {
  readonly vpc: string;
  readonly cidr: string;
  readonly dns: { readonly support: boolean; readonly names: boolean };
  readonly subnets: readonly FoundSubnet[];
  readonly routeTableIds: readonly string[];
  /** Short names of services that have an endpoint which is not ours. */
  readonly services: readonly string[];
}

interface Wanted {
  readonly site: string;
  readonly vpc: string;
  readonly subnets: readonly string[];
}

/** Looks at an existing network as it is. */
export async function findNetwork(ctx: Context, aws: Aws, wanted: Wanted): Promise<FoundNetwork> {
  const vpc = await named(ctx, aws, 'DescribeVpcs', { VpcId: [wanted.vpc] }, 'vpcSet', wanted.vpc);
  const subnets = await subnetsOf(ctx, aws, wanted);
  const dns = {
    support: await dnsOf('enableDnsSupport'),
    names: await dnsOf('enableDnsHostnames'),
  };
  return {
    vpc: wanted.vpc,
    cidr: textOf(vpc[0], 'cidrBlock'),
    dns,
    subnets,
    routeTableIds: [...new Set(subnets.map(({ routeTable }) => routeTable))],
    services: await servicesOf(ctx, aws, wanted),
  };

  async function dnsOf(attribute: string): Promise<boolean> {
    const answer = await aws.query(ctx, 'ec2', 'DescribeVpcAttribute', {
      VpcId: wanted.vpc,
      Attribute: attribute,
    });
    return textOf(answer, attribute, 'value') === 'true';
  }
}

async function named(
  ctx: Context,
  aws: Aws,
  action: string,
  fields: Readonly<Record<string, readonly string[]>>,
  set: string,
  what: string,
): Promise<readonly Xml[]> {
  try {
    return listOf(await aws.query(ctx, 'ec2', action, fields), set);
  } catch (error) {
    if (!/^Invalid\w+ID\.(?:NotFound|Malformed)$/.test(awsNameOf(error) ?? '')) throw error;
    throw new AtollError('INPUT_INVALID', `Cannot use ${what}: there is none in ${aws.region}`, {
      hint: 'Correct platform.vpc, platform.subnets or platform.region',
      cause: error,
    });
  }
}

async function subnetsOf(
  ctx: Context,
  aws: Aws,
  { vpc, subnets: ids }: Wanted,
): Promise<FoundSubnet[]> {
  if (ids.length === 0) {
    throw new AtollError('INPUT_INVALID', `Cannot use ${vpc}: no subnet of it is named`, {
      hint: 'Name the private subnets of the cluster: platform.subnets',
    });
  }
  const found = await named(
    ctx,
    aws,
    'DescribeSubnets',
    { SubnetId: ids },
    'subnetSet',
    ids.join(', '),
  );
  const strange = found.filter((subnet) => textOf(subnet, 'vpcId') !== vpc);
  if (strange.length > 0) {
    const names = strange.map((subnet) => textOf(subnet, 'subnetId')).join(', ');
    throw new AtollError('INPUT_INVALID', `Cannot use ${names}: not in ${vpc}`, {
      hint: 'Correct platform.subnets, or platform.vpc',
    });
  }
  const tables = await routeTablesOf(ctx, aws, vpc);
  return ids.flatMap((id) => {
    const subnet = found.find((each) => textOf(each, 'subnetId') === id);
    if (subnet === undefined) return [];
    const table = tableOf(tables, id);
    return [
      {
        id,
        zone: textOf(subnet, 'availabilityZone'),
        cidr: textOf(subnet, 'cidrBlock'),
        routeTable: textOf(table, 'routeTableId'),
        waysOut: waysOut(table),
      },
    ];
  });
}

async function routeTablesOf(ctx: Context, aws: Aws, vpc: string): Promise<readonly Xml[]> {
  const Filter = [{ Name: 'vpc-id', Value: [vpc] }];
  return listOf(await aws.query(ctx, 'ec2', 'DescribeRouteTables', { Filter }), 'routeTableSet');
}

/** Its own table, or the one of the VPC. */
function tableOf(tables: readonly Xml[], subnet: string): Xml | undefined {
  const has = (takes: (association: Xml) => boolean) =>
    tables.find((table) => listOf(table, 'associationSet').some(takes));
  return (
    has((each) => textOf(each, 'subnetId') === subnet) ??
    has((each) => textOf(each, 'main') === 'true')
  );
}

function waysOut(table: Xml | undefined): string[] {
  const routes = listOf(table, 'routeSet').filter((route) =>
    /^(?:0\.0\.0\.0|::)\/0$/.test(
      textOf(route, 'destinationCidrBlock') || textOf(route, 'destinationIpv6CidrBlock'),
    ),
  );
  return routes.flatMap(
    (route) =>
      ['gatewayId', 'natGatewayId', 'transitGatewayId', 'networkInterfaceId']
        .map((name) => textOf(route, name))
        .find((id) => id !== '') ?? [],
  );
}

/** An endpoint of ours is in our stack; one of somebody else would be in its way. */
async function servicesOf(ctx: Context, aws: Aws, { vpc, site }: Wanted): Promise<string[]> {
  const Filter = [{ Name: 'vpc-id', Value: [vpc] }];
  const answer = await aws.query(ctx, 'ec2', 'DescribeVpcEndpoints', { Filter });
  const others = listOf(answer, 'vpcEndpointSet').filter(
    (endpoint) =>
      !listOf(endpoint, 'tagSet').some(
        (tag) => textOf(tag, 'key') === SITE_TAG && textOf(tag, 'value') === site,
      ),
  );
  return others.map((endpoint) =>
    textOf(endpoint, 'serviceName').replace(/^(?:cn\.)?com\.amazonaws\.[a-z0-9-]+\./, ''),
  );
}

/** The same in the form of the outputs of a network that was made. */
export function outputsOf({ vpc, cidr, subnets }: FoundNetwork): StackOutputs {
  const all = (part: 'id' | 'zone' | 'cidr') => subnets.map((subnet) => subnet[part]).join(',');
  return {
    VpcId: vpc,
    VpcCidr: cidr,
    Zones: all('zone'),
    PrivateSubnetIds: all('id'),
    PrivateSubnetCidrs: all('cidr'),
  };
}
