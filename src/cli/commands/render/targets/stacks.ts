import * as z from 'zod';
import { readText } from '../../../../core/files.ts';
import { toYaml } from '../../../../core/yaml.ts';
import { networkTemplate } from '../../../../generate/cloudformation/network.ts';
import { CLOSED_NETWORK_ENDPOINTS } from '../../../../generate/cloudformation/network-input.ts';
import {
  awsFacts,
  awsPlatform,
  readStackOutputs,
} from '../../../../generate/cloudformation/stack-outputs.ts';
import { formatTemplate } from '../../../../generate/cloudformation/template.ts';
import { pair } from '../flag-files.ts';
import { choice, many, manyTexts, number, onOff, text } from '../flags.ts';
import { renderTarget } from '../target.ts';

/** Flags of every stack. */
export const STACK_FLAGS = {
  name: text('SITE', 'Name of the site; everything in the stack is tagged with it'),
  tag: many('KEY=VALUE', 'One more tag for everything', pair('tag')).transform(
    (tags): Readonly<Record<string, string>> => Object.fromEntries(tags),
  ),
};

export const cloudFormationNetworkTarget = renderTarget({
  name: 'cloudformation network',
  summary: 'Template of the network: VPC, subnets, endpoints, private DNS',
  schema: z.object({
    ...STACK_FLAGS,
    mode: choice(
      'MODE',
      ['disconnected', 'private'],
      'No way out of the private subnets, or one through NAT',
    ).default('disconnected'),
    region: text('REGION', 'Needed for the regions of China only').optional(),
    cidr: text('CIDR', 'Range of the VPC').default('10.0.0.0/16'),
    zones: number('COUNT', 'Availability zones: 1 to 3').default(3),
    zone: manyTexts('NAME', 'This availability zone, instead of a count'),
    nat: choice(
      'HOW',
      ['none', 'single', 'per-zone'],
      'NAT gateways of a private site; per-zone unless it is said',
    ).optional(),
    dualStack: onOff('IPv6 beside IPv4, from the ranges of AWS'),
    publicSubnets: onOff('Subnets with a way to the internet, for the bastion', true),
    endpoint: manyTexts(
      'SERVICE',
      'One more interface endpoint, such as ecr.api, or a whole service name',
    ),
    endpoints: onOff(
      `Endpoints a disconnected site needs: ${CLOSED_NETWORK_ENDPOINTS.join(', ')}`,
      true,
    ),
    s3: onOff('Gateway endpoint for S3', true),
    clusterDomain: text(
      'DOMAIN',
      'Make the private DNS zone of the cluster: NAME.BASE-DOMAIN',
    ).optional(),
    bucket: onOff('Bucket for the Ignition config', true),
    vpc: text('ID', 'An existing VPC: make only what it lacks').optional(),
    subnet: manyTexts('ID', 'Its private subnets'),
    routeTable: manyTexts('ID', 'Route tables of these subnets, to reach S3'),
  }),
  examples: {
    'atoll render cloudformation network --name site --cluster-domain site.example.com --to network.yaml':
      'disconnected, over three zones',
    'atoll render cloudformation network --name site --mode private --nat single': 'one way out',
    'atoll render cloudformation network --name site --vpc vpc-0123456789abcdef0 --subnet subnet-0123456789abcdef0 --route-table rtb-0123456789abcdef0':
      'only the endpoints an existing VPC lacks',
  },
  fromSite: (inputs) => {
    const { site: name, mode, region, cidr, zones, zoneName, existing, ...rest } = inputs.network();
    const usual: readonly string[] = mode === 'disconnected' ? CLOSED_NETWORK_ENDPOINTS : [];
    const endpoint = (rest.endpoints ?? []).filter((each) => !usual.includes(each));
    const { dualStack, nat } = rest;
    const zone = typeof zones === 'object' ? [...zones] : [];
    const { vpcId: vpc, subnetIds = [] } = existing ?? {};
    const subnet = [...subnetIds];
    const made = { name, mode, region, cidr, zone, clusterDomain: zoneName, vpc, subnet };
    return { ...made, endpoint, dualStack, nat };
  },
  make: (options) => {
    const { name: site, tag: tags, mode, zone, zones, vpc, clusterDomain: zoneName } = options;
    const { subnet: subnetIds, routeTable: routeTableIds } = options;
    const wanted = options.endpoints && mode === 'disconnected' ? CLOSED_NETWORK_ENDPOINTS : [];
    const template = networkTemplate({
      ...{ site, tags, mode, zoneName, zones: zone.length > 0 ? zone : zones },
      ...{ region: options.region, cidr: options.cidr, nat: options.nat },
      ...{ publicSubnets: options.publicSubnets, s3: options.s3, bucket: options.bucket },
      dualStack: options.dualStack,
      endpoints: [...wanted, ...options.endpoint],
      existing: vpc ? { vpcId: vpc, subnetIds, routeTableIds } : undefined,
    });
    return formatTemplate(template);
  },
});

export const awsPlatformTarget = renderTarget({
  name: 'aws-platform',
  summary: 'Platform file for install-config, from the outputs of the network stack',
  schema: z.object({
    stack: text('FILE', 'What "aws cloudformation describe-stacks" printed').transform(
      async (path) => readStackOutputs(await readText(path), path),
    ),
    region: text('REGION', 'Region of the stack'),
    facts: onOff('Print the facts for --aws-facts instead'),
  }),
  examples: {
    'atoll render aws-platform --stack network.json --region us-east-1 --to aws.yaml':
      'for render install-config --platform',
    'atoll render aws-platform --stack network.json --region us-east-1 --facts':
      'for its --aws-facts',
  },
  fromSite: (inputs) => ({ region: inputs.network().region }),
  make: ({ stack, region, facts }) => toYaml(facts ? awsFacts(stack) : awsPlatform(stack, region)),
});
