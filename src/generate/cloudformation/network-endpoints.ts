import { byText } from '../../core/order.ts';
import type { NetworkPlan } from './network-input.ts';
import { IPV6_BLOCK, VPC_IPV6_RANGE } from './network-ipv6.ts';
import type { Places } from './network-places.ts';
import { tagsOf } from './tags.ts';
import {
  hole,
  output,
  policy,
  ref,
  resource,
  sub,
  type TemplatePart,
  type TemplateResource,
  type Value,
} from './template.ts';

/** In the regions of China these services have another prefix; the rest keep the usual one. */
const PREFIXED_IN_CHINA: ReadonlySet<string> = new Set([
  'autoscaling',
  'cloudformation',
  'ebs',
  'ec2',
  'ecr.api',
  'ecr.dkr',
  'elasticfilesystem',
  'monitoring',
  'sts',
]);

/** The doors of a closed network to the services of AWS, under their usual names. */
export function endpointsPart(plan: NetworkPlan, places: Places): TemplatePart {
  const names = plan.endpoints.toSorted(byText);
  return {
    resources: {
      ...(plan.s3 ? s3Endpoints(plan, places) : {}),
      ...(names.length > 0 ? { EndpointSecurityGroup: securityGroup(plan, places) } : {}),
      ...Object.fromEntries(
        names.map((name) => [logicalId(name), interfaceEndpoint(plan, name, places)]),
      ),
    },
    outputs:
      names.length > 0
        ? {
            EndpointSecurityGroupId: output(
              'Security group of the endpoints',
              ref('EndpointSecurityGroup'),
            ),
          }
        : {},
  };
}

/** `com.amazonaws.<region>.<name>`; a whole service name stays as it is. */
export function serviceName(name: string, region: string | undefined): Value {
  if (/(?:^|\.)(?:amazonaws|vpce|aws)\./.test(name)) return name;
  const inChina = region?.startsWith('cn-') && PREFIXED_IN_CHINA.has(name);
  return sub(`${inChina ? 'cn.' : ''}com.amazonaws.${hole('AWS::Region')}.${name}`);
}

function logicalId(name: string): string {
  const words = name.split(/[.-]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Endpoint`;
}

/**
 * S3 is the one door through which data could leave a closed network: buckets of everybody are
 * behind the same name. From the private subnets of a disconnected site only those of this account
 * are reached. The public ones have a door of their own without a fence: public registries keep
 * their layers in S3, too.
 */
function s3Endpoints(plan: NetworkPlan, places: Places): Record<string, TemplateResource> {
  const { privateRouteTables, publicRouteTables } = places;
  const fence = plan.mode === 'disconnected' ? { PolicyDocument: fenceOf(plan) } : {};
  const outside = publicRouteTables.length > 0;
  return {
    S3Endpoint: s3Endpoint(plan, places, privateRouteTables, fence),
    ...(outside ? { S3PublicEndpoint: s3Endpoint(plan, places, publicRouteTables, {}) } : {}),
  };
}

const ONLY_THIS_ACCOUNT: Value = {
  Effect: 'Allow',
  Principal: '*',
  Action: 's3:*',
  Resource: '*',
  Condition: { StringEquals: { 'aws:ResourceAccount': ref('AWS::AccountId') } },
};

/** ECR hands out layers from a bucket of AWS itself: reading there is all that is let through. */
const LAYERS_OF_ECR: Value = {
  Effect: 'Allow',
  Principal: '*',
  Action: 's3:GetObject',
  Resource: sub(
    `arn:${hole('AWS::Partition')}:s3:::prod-${hole('AWS::Region')}-starport-layer-bucket/*`,
  ),
};

function fenceOf({ endpoints }: NetworkPlan): Value {
  const usesEcr = endpoints.some((name) => /(?:^|\.)ecr\.(?:api|dkr)$/.test(name));
  return policy(ONLY_THIS_ACCOUNT, ...(usesEcr ? [LAYERS_OF_ECR] : []));
}

function s3Endpoint(
  plan: NetworkPlan,
  { vpc }: Places,
  routeTables: Value,
  policy: Readonly<Record<string, Value>>,
): TemplateResource {
  return resource('AWS::EC2::VPCEndpoint', {
    VpcEndpointType: 'Gateway',
    ServiceName: sub(`com.amazonaws.${hole('AWS::Region')}.s3`),
    VpcId: vpc,
    RouteTableIds: routeTables,
    ...policy,
    Tags: tagsOf(plan, 's3'),
  });
}

function interfaceEndpoint(
  plan: NetworkPlan,
  name: string,
  { vpc, privateSubnets }: Places,
): TemplateResource {
  return resource('AWS::EC2::VPCEndpoint', {
    VpcEndpointType: 'Interface',
    ServiceName: serviceName(name, plan.region),
    VpcId: vpc,
    SubnetIds: privateSubnets,
    SecurityGroupIds: [ref('EndpointSecurityGroup')],
    PrivateDnsEnabled: true,
    Tags: tagsOf(plan, name),
  });
}

/** HTTPS from the VPC. Endpoints answer and never call, so nothing goes out beyond it. */
function securityGroup(plan: NetworkPlan, { vpc }: Places): TemplateResource {
  const ranges: Value[] = [
    { CidrIp: plan.cidr },
    ...(plan.dualStack ? [{ CidrIpv6: VPC_IPV6_RANGE }] : []),
  ];
  const https = (Description: string) =>
    ranges.map((range) => ({
      IpProtocol: 'tcp',
      FromPort: 443,
      ToPort: 443,
      ...(range as object),
      Description,
    }));
  return resource(
    'AWS::EC2::SecurityGroup',
    {
      GroupDescription: `Endpoints of the site ${plan.site}`,
      VpcId: vpc,
      SecurityGroupIngress: https('HTTPS from the VPC'),
      SecurityGroupEgress: https('Nothing beyond the VPC'),
      Tags: tagsOf(plan, 'endpoints'),
    },
    plan.dualStack ? { DependsOn: IPV6_BLOCK } : {},
  );
}
