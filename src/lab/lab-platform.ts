import * as z from 'zod';
import { definePlatform } from '../platform/platform.ts';

/** A lab: machines are folders on this one, and this one is the bastion. */
export const labPlatform = definePlatform({
  name: 'lab',
  summary: 'machines that are played on this one',
  settings: z.strictObject({ type: z.literal('lab') }),
  // The registry shares its cores with the machines, and is for them alone.
  mirror: { address: '127.0.0.1', workers: 1 },
  installPlatform: () => ({ platform: { type: 'none' } }),
  // Most commands ask the row alone, and need not read what plays machines.
  open: async (site) => (await import('./open-lab.ts')).openLab(site),
});
