import type { ExistingNetwork, NetworkPlan } from './network-input.ts';
import {
  output,
  parameter,
  ref,
  type TemplateParameter,
  type TemplatePart,
  type Value,
} from './template.ts';

/** Where endpoints, zones and machines go, whoever made it. */
export interface Places {
  readonly vpc: Value;
  /** A list of subnets, or a parameter that is one. */
  readonly privateSubnets: Value;
  /** Of the private subnets, and of the public ones where there are some. */
  readonly privateRouteTables: Value;
  readonly publicRouteTables: readonly Value[];
}

/** A VPC that is there already, as parameters that know their values. */
export function existingPart(
  { cidr, endpoints, s3 }: NetworkPlan,
  existing: ExistingNetwork,
): { part: TemplatePart; places: Places } {
  const parameters: Record<string, TemplateParameter> = {
    VpcId: parameter('AWS::EC2::VPC::Id', 'VPC of the site', existing.vpcId),
    ...(endpoints.length > 0 ? { SubnetIds: subnetsParameter(existing) } : {}),
    ...(s3 ? { RouteTableIds: routesParameter(existing) } : {}),
  };
  const outputs = {
    VpcId: output('VPC', ref('VpcId')),
    VpcCidr: output('Range of the VPC', cidr),
  };
  return {
    part: { parameters, outputs },
    places: {
      vpc: ref('VpcId'),
      privateSubnets: ref('SubnetIds'),
      privateRouteTables: ref('RouteTableIds'),
      publicRouteTables: [],
    },
  };
}

const subnetsParameter = ({ subnetIds }: ExistingNetwork): TemplateParameter =>
  parameter('List<AWS::EC2::Subnet::Id>', 'Private subnets of the site', subnetIds.join(','));

const routesParameter = ({ routeTableIds = [] }: ExistingNetwork): TemplateParameter =>
  parameter('CommaDelimitedList', 'Route tables of the private subnets', routeTableIds.join(','));
