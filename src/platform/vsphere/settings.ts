import * as z from 'zod';
import { credentialsFile } from '../shared/credentials.ts';

const text = z.string().min(1);

export const vsphereSettingsSchema = z.strictObject({
  type: z.literal('vsphere'),
  server: text.describe('Host name of the vCenter'),
  credentials: credentialsFile,
  ca: text
    .optional()
    .describe('File with the CA of the vCenter, where the system does not know it'),
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
  bastion: z
    .strictObject({
      template: text.optional().describe('Template of CoreOS; default: that of the machines'),
      network: text
        .optional()
        .describe('Port group with a way to you; default: that of the machines'),
      cpus: z.int().min(1).optional().describe('Default: 4'),
      memoryMiB: z.int().min(2048).optional().describe('Default: 8192'),
      diskGiB: z.int().min(10).optional().describe('Default: 500'),
    })
    .optional()
    .describe('The bastion, where it is made'),
  imageRegistry: z
    .enum(['volume', 'emptyDir', 'none'])
    .optional()
    .describe(
      "Storage of the cluster's own registry, which has none here by itself; default: volume",
    ),
});

export type VsphereSettings = z.output<typeof vsphereSettingsSchema>;
