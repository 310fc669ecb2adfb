import { mkdir, rm } from 'node:fs/promises';
import type { Host } from '../host/host.ts';
import type { Platform } from './platform.ts';

/** A lab: machines are folders on this one, and this one is the bastion. */
export function labPlatform(machines: string, bastion: () => Host): Platform {
  return {
    name: 'lab',
    plan: () => [`keep the file systems of the lab's machines in ${machines}`],
    async provision(_ctx, claim) {
      await claim({ kind: 'directory', id: machines, temporary: false });
      await mkdir(machines, { recursive: true });
    },
    bastion: async () => bastion(),
    async remove(_ctx, { kind, id }) {
      if (kind !== 'directory' || id !== machines) return false;
      await rm(machines, { recursive: true, force: true });
      return true;
    },
  };
}
