import { knows } from '../../openshift/features.ts';
import type { ReleaseVersion } from '../../openshift/version.ts';
import { byText, sortedRecord, sortedUnique } from '../order.ts';
import type { InstallConfig } from './schema.ts';

export interface AwsInput {
  readonly type: 'aws';
  readonly region: string;
  /** Existing subnets; without them the installer makes a network of its own. */
  readonly subnets?: readonly AwsSubnet[] | undefined;
  readonly zones?: readonly string[] | undefined;
  readonly hostedZone?: string | undefined;
  readonly hostedZoneRole?: string | undefined;
  readonly amiId?: string | undefined;
  readonly userTags?: Readonly<Record<string, string>> | undefined;
  /** Service name to URL. */
  readonly serviceEndpoints?: Readonly<Record<string, string>> | undefined;
  readonly userProvisionedDns?: boolean | undefined;
  readonly controlPlaneType?: string | undefined;
  readonly computeType?: string | undefined;
}

export interface AwsSubnet {
  readonly id: string;
  /** Such as `ClusterNode`; all subnets have roles, or none has. */
  readonly roles?: readonly string[] | undefined;
}

interface Vips {
  readonly apiVips: readonly string[];
  readonly ingressVips: readonly string[];
}

export interface VsphereInput extends Vips {
  readonly type: 'vsphere';
  readonly server: string;
  readonly username: string;
  readonly password: string;
  readonly datacenter: string;
  readonly cluster: string;
  readonly datastore: string;
  readonly network: string;
  readonly folder?: string | undefined;
  readonly resourcePool?: string | undefined;
  /** A template or OVA that can be reached without the internet. */
  readonly template?: string | undefined;
  readonly clusterOsImage?: string | undefined;
}

export interface NutanixInput extends Vips {
  readonly type: 'nutanix';
  readonly prismCentral: {
    readonly address: string;
    readonly port?: number | undefined;
    readonly username: string;
    readonly password: string;
  };
  readonly prismElement: {
    readonly uuid: string;
    readonly address: string;
    readonly port?: number | undefined;
    readonly name?: string | undefined;
  };
  readonly subnetUuid: string;
  readonly clusterOsImage?: string | undefined;
  readonly preloadedOsImage?: string | undefined;
}

export interface BaremetalInput extends Vips {
  readonly type: 'baremetal';
  readonly hosts: readonly Readonly<Record<string, unknown>>[];
  readonly provisioningNetwork?: 'Disabled' | 'Managed' | 'Unmanaged' | undefined;
  readonly bootstrapOsImage?: string | undefined;
  readonly clusterOsImage?: string | undefined;
}

export interface NoneInput {
  readonly type: 'none';
}

export type PlatformInput = AwsInput | VsphereInput | NutanixInput | BaremetalInput | NoneInput;

const PRISM_PORT = 9440;

/** The `platform` of an install-config, in the words of the release that reads it. */
export function platformSection(
  input: PlatformInput,
  version: ReleaseVersion | undefined,
): InstallConfig['platform'] {
  switch (input.type) {
    case 'aws':
      return { aws: awsSection(input, version) };
    case 'vsphere':
      return {
        vsphere: knows(version, 'vsphereFailureDomains') ? vsphere(input) : oldVsphere(input),
      };
    case 'nutanix':
      return { nutanix: nutanix(input) };
    case 'baremetal':
      return { baremetal: baremetal(input) };
    case 'none':
      return { none: {} };
  }
}

function awsSection(input: AwsInput, version: ReleaseVersion | undefined) {
  const subnets = (input.subnets ?? []).toSorted((a, b) => byText(a.id, b.id));
  const endpoints = Object.entries(sortedRecord(input.serviceEndpoints ?? {}));
  return {
    region: input.region,
    ...(subnets.length > 0 ? subnetFields(subnets, version) : {}),
    ...(input.hostedZone ? { hostedZone: input.hostedZone } : {}),
    ...(input.hostedZoneRole ? { hostedZoneRole: input.hostedZoneRole } : {}),
    ...(input.amiId ? { amiID: input.amiId } : {}),
    ...(input.userTags ? { userTags: sortedRecord(input.userTags) } : {}),
    ...(endpoints.length > 0
      ? { serviceEndpoints: endpoints.map(([name, url]) => ({ name, url })) }
      : {}),
    ...(input.userProvisionedDns ? { userProvisionedDNS: 'Enabled' } : {}),
  };
}

/** Releases before 4.19 know subnets only as a list of their ids. */
function subnetFields(subnets: readonly AwsSubnet[], version: ReleaseVersion | undefined) {
  if (!knows(version, 'awsVpcSubnets')) return { subnets: subnets.map(({ id }) => id) };
  const entries = subnets.map(({ id, roles }) => ({
    id,
    ...(roles?.length ? { roles: sortedUnique(roles).map((type) => ({ type })) } : {}),
  }));
  return { vpc: { subnets: entries } };
}

const vipFields = ({ apiVips, ingressVips }: Vips) => ({
  apiVIPs: [...apiVips],
  ingressVIPs: [...ingressVips],
});

function vsphere(input: VsphereInput) {
  const { server, datacenter } = input;
  return {
    ...vipFields(input),
    vcenters: [
      {
        server,
        port: 443,
        user: input.username,
        password: input.password,
        datacenters: [datacenter],
      },
    ],
    failureDomains: [
      {
        name: 'failure-domain-1',
        region: 'region-1',
        zone: 'zone-1',
        server,
        topology: topologyOf(input),
      },
    ],
    ...(input.clusterOsImage ? { clusterOSImage: input.clusterOsImage } : {}),
  };
}

function topologyOf(input: VsphereInput) {
  const { datacenter, cluster, datastore, network } = input;
  return {
    datacenter,
    computeCluster: cluster.startsWith('/') ? cluster : `/${datacenter}/host/${cluster}`,
    datastore: datastore.startsWith('/') ? datastore : `/${datacenter}/datastore/${datastore}`,
    networks: [network],
    ...(input.folder ? { folder: input.folder } : {}),
    ...(input.resourcePool ? { resourcePool: input.resourcePool } : {}),
    ...(input.template ? { template: input.template } : {}),
  };
}

function oldVsphere(input: VsphereInput) {
  return {
    vCenter: input.server,
    username: input.username,
    password: input.password,
    datacenter: input.datacenter,
    defaultDatastore: input.datastore,
    cluster: input.cluster,
    network: input.network,
    ...(input.folder ? { folder: input.folder } : {}),
    ...(input.apiVips[0] ? { apiVIP: input.apiVips[0] } : {}),
    ...(input.ingressVips[0] ? { ingressVIP: input.ingressVips[0] } : {}),
    ...(input.clusterOsImage ? { clusterOSImage: input.clusterOsImage } : {}),
  };
}

function nutanix(input: NutanixInput) {
  const { prismCentral, prismElement } = input;
  const endpoint = ({ address, port }: { address: string; port?: number | undefined }) => ({
    address,
    port: port ?? PRISM_PORT,
  });
  return {
    ...vipFields(input),
    prismCentral: {
      endpoint: endpoint(prismCentral),
      username: prismCentral.username,
      password: prismCentral.password,
    },
    prismElements: [
      {
        endpoint: endpoint(prismElement),
        uuid: prismElement.uuid,
        ...(prismElement.name ? { name: prismElement.name } : {}),
      },
    ],
    subnetUUIDs: [input.subnetUuid],
    ...(input.clusterOsImage ? { clusterOSImage: input.clusterOsImage } : {}),
    ...(input.preloadedOsImage ? { preloadedOSImageName: input.preloadedOsImage } : {}),
  };
}

function baremetal(input: BaremetalInput) {
  return {
    ...vipFields(input),
    provisioningNetwork: input.provisioningNetwork ?? 'Disabled',
    ...(input.bootstrapOsImage ? { bootstrapOSImage: input.bootstrapOsImage } : {}),
    ...(input.clusterOsImage ? { clusterOSImage: input.clusterOsImage } : {}),
    hosts: input.hosts.map((host) => ({ ...host })),
  };
}
