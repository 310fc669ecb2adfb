import { definePlatform } from '../platform.ts';
import { readCredentials } from '../shared/credentials.ts';
import { nutanixSettingsSchema } from './settings.ts';

/** Virtual machines of a Prism Central. */
export const nutanixPlatform = definePlatform({
  name: 'nutanix',
  summary: 'Nutanix',
  settings: nutanixSettingsSchema,
  files: ['credentials', 'ca'],
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
  makesBastion: true,
  installPlatform: (
    { credentials: _, ca: _ca, bastion: _bastion, prismCentral, ...rest },
    facts,
  ) => ({
    platform: { ...rest, prismCentral: { ...prismCentral, ...readCredentials(facts) } },
  }),
  open: async (site) => {
    const { NUTANIX_WORLD, openNutanix } = await import('./open-nutanix.ts');
    return openNutanix(site, NUTANIX_WORLD);
  },
});
