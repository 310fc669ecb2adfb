import * as z from 'zod';
import type { PlatformInput } from './platforms.ts';

// The platform of a cluster as a file or a part of one. Unknown fields are refused: a misspelled
// one would silently do nothing.

const text = z.string().min(1);
const vips = { apiVips: z.array(text), ingressVips: z.array(text) };

const aws = z.strictObject({
  type: z.literal('aws'),
  region: text,
  subnets: z.array(z.strictObject({ id: text, roles: z.array(text).optional() })).optional(),
  zones: z.array(text).optional(),
  hostedZone: text.optional(),
  hostedZoneRole: text.optional(),
  amiId: text.optional(),
  userTags: z.record(z.string(), z.string()).optional(),
  serviceEndpoints: z.record(z.string(), z.string()).optional(),
  userProvisionedDns: z.boolean().optional(),
  controlPlaneType: text.optional(),
  computeType: text.optional(),
});

const vsphere = z.strictObject({
  ...vips,
  type: z.literal('vsphere'),
  server: text,
  username: text,
  password: text,
  datacenter: text,
  cluster: text,
  datastore: text,
  network: text,
  folder: text.optional(),
  resourcePool: text.optional(),
  template: text.optional(),
  clusterOsImage: text.optional(),
});

const port = z.number().int().min(1).max(65_535);

const nutanix = z.strictObject({
  ...vips,
  type: z.literal('nutanix'),
  prismCentral: z.strictObject({
    address: text,
    port: port.optional(),
    username: text,
    password: text,
  }),
  prismElement: z.strictObject({
    uuid: text,
    address: text,
    port: port.optional(),
    name: text.optional(),
  }),
  subnetUuid: text,
  clusterOsImage: text.optional(),
  preloadedOsImage: text.optional(),
});

const baremetal = z.strictObject({
  ...vips,
  type: z.literal('baremetal'),
  hosts: z.array(z.record(z.string(), z.unknown())),
  provisioningNetwork: z.enum(['Disabled', 'Managed', 'Unmanaged']).optional(),
  bootstrapOsImage: text.optional(),
  clusterOsImage: text.optional(),
});

const none = z.strictObject({ type: z.literal('none') });

export const platformSchema = z.discriminatedUnion('type', [
  aws,
  vsphere,
  nutanix,
  baremetal,
  none,
]) satisfies z.ZodType<PlatformInput>;
