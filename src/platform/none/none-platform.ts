import * as z from 'zod';
import { definePlatform } from '../platform.ts';
import { givenBastion } from '../shared/given-bastion.ts';
import { installer } from '../shared/installer.ts';
import { verifyNotBuilt } from '../shared/not-built.ts';

/** Machines and network are there and belong to somebody else: nothing is made, nothing removed. */
export const nonePlatform = definePlatform({
  name: 'none',
  summary: 'hosts of your own',
  settings: z.strictObject({ type: z.literal('none') }),
  installPlatform: () => ({ platform: { type: 'none' } }),
  async open(site) {
    const { host, ...bastion } = givenBastion(site.bastion);
    const { boot, watch, ...install } = installer(site, { host, machines: 'there' });
    return {
      plan: () => ({
        infrastructure: ['use the network and the hosts that are there; nothing is made'],
        bastion: bastion.plan,
        cluster: install.plan,
        verify: ['not built yet: looking at a real cluster needs its Kubernetes API'],
      }),
      preflight: async () => bastion.checks,
      provision: async () => undefined,
      bastion: host,
      boot,
      watch,
      verify: async () => {
        throw verifyNotBuilt();
      },
      remove: async () => false,
      close: bastion.close,
    };
  },
});
