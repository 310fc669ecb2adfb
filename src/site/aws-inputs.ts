import type { BastionStackInput } from '../generate/cloudformation/bastion-input.ts';
import {
  CLOSED_NETWORK_ENDPOINTS,
  type NetworkInput,
} from '../generate/cloudformation/network-input.ts';
import { awsSettings } from '../platform/aws/aws-platform.ts';
import type { Site } from './read-site.ts';

/** The network of a site as a stack: one that is made, or what an existing one lacks. */
export function networkInput(site: Site): NetworkInput {
  const { cluster, mode } = site;
  const { region, vpc, subnets = [], zones, hostedZone } = awsSettings(site.platform);
  return {
    site: site.name,
    mode,
    region,
    cidr: vpcRange(site),
    zones,
    endpoints: mode === 'disconnected' ? CLOSED_NETWORK_ENDPOINTS : [],
    zoneName: hostedZone ? undefined : `${cluster.name}.${cluster.baseDomain}`,
    existing: vpc ? { vpcId: vpc, subnetIds: subnets } : undefined,
  };
}

/** The bastion of a site as a stack; what boots on it is another matter. */
export function bastionStackInput(site: Site): BastionStackInput {
  const { bastion, registry, proxy } = site;
  const isOurs = registry.type === 'embedded';
  return {
    site: site.name,
    access: {
      operators: bastion.allowFrom,
      clients: [vpcRange(site)],
      registry: isOurs ? registry.port : undefined,
      proxy: proxy.enabled ? [proxy.port] : [],
    },
    vpcId: awsSettings(site.platform).vpc,
    amiId: bastion.ami,
    mirrorName: isOurs && isName(registry.host) ? registry.host : undefined,
  };
}

const vpcRange = ({ platform, cluster }: Site) =>
  awsSettings(platform).cidr ?? cluster.machineNetwork;

/** An address needs no name. */
const isName = (host: string | undefined) => host !== undefined && /\.[a-z]/i.test(host);
