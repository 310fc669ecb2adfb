import * as z from 'zod';
import { definePlatform } from '../platform.ts';
import { credentialsFile, readCredentials } from '../shared/credentials.ts';
import { platformNotBuilt } from '../shared/not-built.ts';

const name = 'vsphere';

const text = z.string().min(1);

const settings = z.strictObject({
  type: z.literal(name),
  server: text.describe('Host name of the vCenter'),
  credentials: credentialsFile,
  datacenter: text,
  cluster: text.describe('Name of the compute cluster, or its inventory path'),
  datastore: text.describe('Name of the datastore, or its inventory path'),
  network: text.describe('Port group of the machines'),
  folder: text.optional().describe('Existing folder for the machines'),
  resourcePool: text.optional(),
  template: text.optional().describe('Template of the machines, reachable without the internet'),
  clusterOsImage: text.optional().describe('OVA that can be reached without the internet'),
  apiVips: z.array(text).min(1).describe('Addresses of the API'),
  ingressVips: z.array(text).min(1).describe('Addresses of the router'),
});

/** Virtual machines of a vCenter. */
export const vspherePlatform = definePlatform({
  name,
  summary: 'VMware vSphere',
  settings,
  files: ['credentials'],
  init: {
    example: {
      server: 'vcenter.example.com',
      credentials: 'vcenter.yaml',
      datacenter: 'dc1',
      cluster: 'cluster1',
      datastore: 'datastore1',
      network: 'VM Network',
      apiVips: ['10.0.0.5'],
      ingressVips: ['10.0.0.6'],
    },
    asks: {},
  },
  installPlatform: ({ credentials: _, ...rest }, facts) => ({
    platform: { ...rest, ...readCredentials(facts) },
  }),
  open: async () => {
    throw platformNotBuilt(name);
  },
});
