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
  readonly settings: Partial<AwsSettings>;
  readonly shape: SiteShape;
}

const ECR = ['ecr.api', 'ecr.dkr'];
const DISK_GIB = 500;

/** The network of a site as a stack: one that is made, or what an existing one lacks. */
export function networkInput({ name, settings, shape }: StackSite): NetworkInput {
  const { region, vpc, subnets = [], zones, hostedZone, nat, tags, dualStack } = settings;
  const closed = shape.mode === 'disconnected';
  return {
    site: name,
    tags,
    mode: shape.mode,
    region,
    cidr: vpcRange({ settings, shape }),
    zones,
    nat,
    dualStack,
    endpoints: [
      ...(closed ? CLOSED_NETWORK_ENDPOINTS : []),
      ...(settings.ecr ? ECR : []),
      ...(settings.endpoints ?? []),
    ],
    zoneName: hostedZone ? undefined : shape.domain,
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

const vpcRange = ({ settings, shape }: Omit<StackSite, 'name'>) =>
  settings.cidr ?? shape.machineNetwork;
