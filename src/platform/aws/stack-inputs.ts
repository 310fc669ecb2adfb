import type { BastionStackInput } from '../../generate/cloudformation/bastion-input.ts';
import {
  CLOSED_NETWORK_ENDPOINTS,
  type NetworkInput,
} from '../../generate/cloudformation/network-input.ts';
import type { SiteShape } from '../platform.ts';
import type { AwsSettings } from './settings.ts';

/** A site on AWS, as far as its stacks go. */
export interface StackSite {
  readonly name: string;
  readonly domain: string;
  readonly disconnected: boolean;
  readonly settings: Partial<AwsSettings>;
  readonly shape: SiteShape;
}

const ECR = ['ecr.api', 'ecr.dkr'];
const DISK_GIB = 500;

/** The network of a site as a stack: one that is made, or what an existing one lacks. */
export function networkInput(site: StackSite): NetworkInput {
  const { name, domain, disconnected, settings, shape } = site;
  const { region, vpc, subnets = [], zones, hostedZone, nat, tags, dualStack } = settings;
  return {
    site: name,
    tags,
    mode: disconnected ? 'disconnected' : 'private',
    region,
    cidr: vpcRange({ settings, shape }),
    zones,
    nat,
    dualStack,
    endpoints: [
      ...(disconnected ? CLOSED_NETWORK_ENDPOINTS : []),
      ...(settings.ecr ? ECR : []),
      ...(settings.endpoints ?? []),
    ],
    zoneName: hostedZone ? undefined : domain,
    existing: vpc ? { vpcId: vpc, subnetIds: subnets } : undefined,
  };
}

/** The bastion of a site as a stack; what boots on it is another matter. */
export function bastionStackInput({ name, settings, shape }: StackSite): BastionStackInput {
  const { bastion, ports } = shape;
  const { vpc, bastionSubnet, publicAddress, instanceType, tags } = settings;
  return {
    site: name,
    tags,
    access: {
      operators: bastion.allowFrom,
      clients: [vpcRange({ settings, shape })],
      registry: ports.registry,
      proxy: ports.proxy === undefined ? [] : [ports.proxy],
    },
    vpcId: vpc,
    subnetId: bastionSubnet,
    amiId: bastion.ami,
    instanceType,
    elasticIp: publicAddress,
    rootDisk: { sizeGiB: settings.diskGiB ?? DISK_GIB },
    mirrorName: shape.mirrorName,
  };
}

const vpcRange = ({ settings, shape }: Pick<StackSite, 'settings' | 'shape'>) =>
  settings.cidr ?? shape.machineNetwork;
