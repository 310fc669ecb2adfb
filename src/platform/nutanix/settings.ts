import * as z from 'zod';
import type { PlatformSite } from '../platform.ts';
import { credentialsFile } from '../shared/credentials.ts';

const text = z.string().min(1);
const port = z.number().int().min(1).max(65_535).optional();

export const nutanixSettingsSchema = z.strictObject({
  type: z.literal('nutanix'),
  prismCentral: z.strictObject({ address: text, port }),
  credentials: credentialsFile,
  ca: text
    .optional()
    .describe('File with the CA of Prism Central, where the system does not know it'),
  prismElement: z.strictObject({ uuid: text, address: text, port, name: text.optional() }),
  subnetUuid: text.describe('Subnet of the machines'),
  clusterOsImage: text.optional().describe('Image that can be reached without the internet'),
  preloadedOsImage: text.optional().describe('Name of an image that Prism has already'),
  apiVips: z.array(text).min(1).describe('Addresses of the API'),
  ingressVips: z.array(text).min(1).describe('Addresses of the router'),
  bastion: z
    .strictObject({
      image: text
        .optional()
        .describe('Name of an image of CoreOS in Prism; default: preloadedOsImage'),
      imageUrl: text.optional().describe('Where Prism fetches one instead; it goes with the site'),
      subnetUuid: text
        .optional()
        .describe('Subnet with a way to you; default: that of the machines'),
      cpus: z.int().min(1).optional().describe('Default: 4'),
      memoryMiB: z.int().min(2048).optional().describe('Default: 8192'),
      diskGiB: z.int().min(10).optional().describe('Default: 500'),
    })
    .optional()
    .describe('The bastion, where it is made'),
});

export type NutanixSettings = z.output<typeof nutanixSettingsSchema>;
export type NutanixSite = PlatformSite<NutanixSettings>;

const PRISM_PORT = 9440;

export const prismServer = ({ prismCentral }: NutanixSettings): string =>
  `${prismCentral.address}:${prismCentral.port ?? PRISM_PORT}`;

/** Where the bastion's image comes from. */
export function bastionImage({ bastion, preloadedOsImage }: NutanixSettings) {
  if (bastion?.imageUrl !== undefined) return { url: bastion.imageUrl } as const;
  const name = bastion?.image ?? preloadedOsImage;
  return name === undefined ? undefined : ({ name } as const);
}

/** The size of the bastion. */
export function bastionSize({ bastion = {} }: NutanixSettings) {
  const { cpus = 4, memoryMiB = 8192, diskGiB = 500 } = bastion;
  return { cpus, memoryMiB, diskGiB };
}

export const bastionSubnet = ({ bastion, subnetUuid }: NutanixSettings): string =>
  bastion?.subnetUuid ?? subnetUuid;
