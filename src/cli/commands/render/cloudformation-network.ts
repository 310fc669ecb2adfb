import { networkTemplate } from '../../../generate/cloudformation/network.ts';
import {
  CLOSED_NETWORK_ENDPOINTS,
  type NetworkInput,
} from '../../../generate/cloudformation/network-input.ts';
import { formatTemplate } from '../../../generate/cloudformation/template.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';
import { STACK_OPTIONS, tagsFrom } from './cloudformation-options.ts';
import { renderCommand } from './render-command.ts';

const OPTIONS = {
  ...STACK_OPTIONS,
  mode: {
    type: 'string',
    value: 'MODE',
    choices: ['disconnected', 'private'],
    default: 'disconnected',
    summary: 'No way out of the private subnets, or one through NAT',
  },
  region: { type: 'string', value: 'REGION', summary: 'Needed for the regions of China only' },
  cidr: { type: 'string', value: 'CIDR', default: '10.0.0.0/16', summary: 'Range of the VPC' },
  zones: { type: 'number', value: 'COUNT', default: 3, summary: 'Availability zones: 1 to 3' },
  zone: { type: 'strings', value: 'NAME', summary: 'This availability zone, instead of a count' },
  nat: {
    type: 'string',
    value: 'HOW',
    choices: ['none', 'single', 'per-zone'],
    summary: 'NAT gateways of a private site; per-zone unless it is said',
  },
  publicSubnets: {
    type: 'boolean',
    default: true,
    summary: 'Subnets with a way to the internet, for the bastion',
  },
  endpoint: {
    type: 'strings',
    value: 'SERVICE',
    summary: 'One more interface endpoint, such as ecr.api, or a whole service name',
  },
  endpoints: {
    type: 'boolean',
    default: true,
    summary: `Endpoints a disconnected site needs: ${CLOSED_NETWORK_ENDPOINTS.join(', ')}`,
  },
  s3: {
    type: 'boolean',
    default: true,
    summary: 'Gateway endpoint for S3',
  },
  clusterDomain: {
    type: 'string',
    value: 'DOMAIN',
    summary: 'Make the private DNS zone of the cluster: NAME.BASE-DOMAIN',
  },
  bucket: { type: 'boolean', default: true, summary: 'Bucket for the Ignition config' },
  vpc: { type: 'string', value: 'ID', summary: 'An existing VPC: make only what it lacks' },
  subnet: { type: 'strings', value: 'ID', summary: 'Its private subnets' },
  routeTable: {
    type: 'strings',
    value: 'ID',
    summary: 'Route tables of these subnets, to reach S3',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export const renderCloudFormationNetworkCommand = renderCommand({
  name: 'render cloudformation network',
  summary: 'Template of the network: VPC, subnets, endpoints, private DNS',
  options: OPTIONS,
  examples: [
    [
      'atoll render cloudformation network --name site --cluster-domain site.example.com --to network.yaml',
      'disconnected, over three zones',
    ],
    ['atoll render cloudformation network --name site --mode private --nat single', 'one way out'],
    [
      'atoll render cloudformation network --name site --vpc vpc-0123456789abcdef0 --subnet subnet-0123456789abcdef0 --route-table rtb-0123456789abcdef0',
      'only the endpoints an existing VPC lacks',
    ],
  ],
  async render(_ctx, { options }) {
    return { contents: formatTemplate(networkTemplate(networkFrom(options))) };
  },
});

function networkFrom(options: OptionValues<typeof OPTIONS>): NetworkInput {
  const mode = options.mode as NetworkInput['mode'];
  const wanted = options.endpoints && mode === 'disconnected' ? CLOSED_NETWORK_ENDPOINTS : [];
  return {
    site: options.name,
    tags: tagsFrom(options.tag),
    mode,
    region: options.region,
    cidr: options.cidr,
    zones: options.zone.length > 0 ? options.zone : options.zones,
    nat: options.nat as NetworkInput['nat'],
    publicSubnets: options.publicSubnets,
    endpoints: [...wanted, ...options.endpoint],
    s3: options.s3,
    zoneName: options.clusterDomain,
    bucket: options.bucket,
    existing: options.vpc
      ? { vpcId: options.vpc, subnetIds: options.subnet, routeTableIds: options.routeTable }
      : undefined,
  };
}
