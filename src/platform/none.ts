import type { Host } from '../host/host.ts';
import type { Platform } from './platform.ts';

/** Machines and network are there and belong to somebody else: nothing is made, nothing removed. */
export function nonePlatform(bastion: () => Host): Platform {
  return {
    name: 'none',
    plan: () => ['use the network and the hosts that are there; nothing is made'],
    provision: async () => undefined,
    bastion: async () => bastion(),
    remove: async () => false,
  };
}
