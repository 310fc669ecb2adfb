import { rm } from 'node:fs/promises';
import { makeFolder } from '../core/files.ts';
import type { OpenPlatform, PlatformSite } from '../platform/platform.ts';
import { givenBastion } from '../platform/shared/given-bastion.ts';
import { bootLab } from './boot-lab.ts';
import { machinesOf } from './lab-paths.ts';
import { machineStates } from './machine-states.ts';
import { labMachines } from './node-specs.ts';
import { verifyLab } from './verify-lab.ts';
import { watchLab } from './watch-lab.ts';

export function openLab(site: PlatformSite): OpenPlatform {
  const machines = machinesOf(site.paths.state);
  const { host, ...bastion } = givenBastion(site.bastion);
  const roles = { bootstrap: 'bootstrap', master: 'control-plane', worker: 'worker' } as const;
  return {
    machines: labMachines(site.cluster).map(({ name, role, address }) => ({
      name,
      role: roles[role],
      addresses: address === undefined ? undefined : [address],
    })),
    machineStates: () => machineStates(site.paths.state),
    plan: () => ({
      infrastructure: [`keep the file systems of the lab's machines in ${machines}`],
      bastion: bastion.plan,
      cluster: [
        'rehearse the install: a bootstrap, masters and workers that pull every image through the generated configuration',
      ],
      verify: ['prove from the access log of the mirror that every image came from there'],
    }),
    preflight: bastion.checks,
    async provision(_ctx, claim) {
      await claim({ kind: 'directory', id: machines, temporary: false });
      await makeFolder(machines);
    },
    bastion: host,
    boot: (ctx, run) => bootLab(ctx, site, run),
    watch: (ctx, run) => watchLab(ctx, site, run),
    verify: (ctx, run) => verifyLab(ctx, site, run),
    async remove(_ctx, { kind, id }) {
      if (kind !== 'directory' || id !== machines) return false;
      await rm(machines, { recursive: true, force: true });
      return true;
    },
    close: bastion.close,
  };
}
