import { definePlatform } from '../platform.ts';
import { readCredentials } from '../shared/credentials.ts';
import { vsphereSettingsSchema } from './settings.ts';

/** Virtual machines of a vCenter. */
export const vspherePlatform = definePlatform({
  name: 'vsphere',
  summary: 'VMware vSphere',
  settings: vsphereSettingsSchema,
  files: ['credentials', 'ca'],
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
  makesBastion: true,
  installPlatform: (
    { credentials: _, ca: _ca, bastion: _bastion, imageRegistry: _r, ...rest },
    facts,
  ) => ({
    platform: { ...rest, ...readCredentials(facts) },
  }),
  open: async (site) => {
    const { VSPHERE_WORLD, openVsphere } = await import('./open-vsphere.ts');
    return openVsphere(site, VSPHERE_WORLD);
  },
});
