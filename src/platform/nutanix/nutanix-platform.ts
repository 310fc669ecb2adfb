import * as z from 'zod';
import { definePlatform } from '../platform.ts';
import { credentialsFile, readCredentials } from '../shared/credentials.ts';
import { platformNotBuilt } from '../shared/not-built.ts';

const name = 'nutanix';

const text = z.string().min(1);
const port = z.number().int().min(1).max(65_535).optional();

const settings = z.strictObject({
  type: z.literal(name),
  prismCentral: z.strictObject({ address: text, port }),
  credentials: credentialsFile,
  prismElement: z.strictObject({ uuid: text, address: text, port, name: text.optional() }),
  subnetUuid: text.describe('Subnet of the machines'),
  clusterOsImage: text.optional().describe('Image that can be reached without the internet'),
  preloadedOsImage: text.optional().describe('Name of an image that Prism has already'),
  apiVips: z.array(text).min(1).describe('Addresses of the API'),
  ingressVips: z.array(text).min(1).describe('Addresses of the router'),
});

/** Virtual machines of a Prism Central. */
export const nutanixPlatform = definePlatform({
  name,
  summary: 'Nutanix',
  settings,
  files: ['credentials'],
  init: {
    example: {
      prismCentral: { address: 'prism.example.com' },
      credentials: 'prism.yaml',
      prismElement: {
        uuid: '00000000-0000-0000-0000-000000000000',
        address: 'prism-element.example.com',
      },
      subnetUuid: '00000000-0000-0000-0000-000000000000',
      apiVips: ['10.0.0.5'],
      ingressVips: ['10.0.0.6'],
    },
    asks: {},
  },
  installPlatform: ({ credentials: _, prismCentral, ...rest }, facts) => ({
    platform: { ...rest, prismCentral: { ...prismCentral, ...readCredentials(facts) } },
  }),
  open: async () => {
    throw platformNotBuilt(name);
  },
});
