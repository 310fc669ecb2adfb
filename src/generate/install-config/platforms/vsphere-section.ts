import * as z from 'zod';
import { type Fields, list, part, text, texts, whole } from '../fields.ts';
import { vipFields } from './vips.ts';

export const PATH = 'platform.vsphere';

export const pool = {
  cpus: whole,
  coresPerSocket: whole,
  memoryMB: whole,
  osDisk: part({ diskSizeGB: whole }),
  dataDisks: list({ name: text, sizeGiB: whole, provisioningMode: text }),
  zones: texts,
};
const nodeNetwork = part({
  networkSubnetCidr: texts,
  network: text,
  excludeNetworkSubnetCidr: texts,
});
export const section = {
  ...vipFields,
  vcenters: list({ server: text, port: whole, user: text, password: text, datacenters: texts }),
  failureDomains: list({
    name: text,
    region: text,
    zone: text,
    server: text,
    regionType: text,
    zoneType: text,
    topology: z.looseObject({
      datacenter: text,
      computeCluster: text,
      networks: texts,
      datastore: text,
      resourcePool: text,
      folder: text,
      template: text,
      tagIDs: texts,
      hostGroup: text,
    }),
  }),
  clusterOSImage: text,
  diskType: text,
  defaultMachinePlatform: part(pool),
  nodeNetworking: part({ internal: nodeNetwork, external: nodeNetwork }),
  hosts: list({
    failureDomain: text,
    role: text,
    networkDevice: part({ gateway: text, ipAddrs: texts, nameservers: texts }),
  }),
  // As before 4.13.
  vCenter: text,
  username: text,
  password: text,
  datacenter: text,
  defaultDatastore: text,
  folder: text,
  cluster: text,
  resourcePool: text,
  network: text,
};
export type Section = Fields<typeof section>;
export type FailureDomain = NonNullable<Section['failureDomains']>[number];
