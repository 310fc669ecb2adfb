import { join } from 'node:path';
import type { InstallRun, PlatformSite } from '../platform/platform.ts';
import { boardOf, machinesOf } from './lab-paths.ts';
import type { LabSettings } from './lab-settings.ts';
import type { NodeRole, NodeSpec } from './node/node-spec.ts';

/** After so many tries a lab node gives up where a real one would loop for ever. */
const PATIENCE = 3;

/** What each machine of a lab is told, from what the config stage found. */
export function nodeSpecs(
  { cluster, paths }: PlatformSite,
  { outputs }: Pick<InstallRun, 'outputs'>,
  settings: LabSettings,
): NodeSpec[] {
  const { controlPlane: masters, workers } = cluster;
  const config = outputs.config ?? {};
  const common = {
    board: boardOf(paths.state),
    releaseImage: String(config.releaseImage),
    masters,
    workers,
    workloads: (config.workloads ?? []) as readonly string[],
    patience: PATIENCE,
    ...(settings.break === 'disk' ? { diskBytes: 3_000_000 } : {}),
  };
  return labMachines(cluster).map(({ name, role, address }) => ({
    ...common,
    name,
    role,
    address,
    root: join(machinesOf(paths.state), name),
  }));
}

interface LabMachine {
  readonly name: string;
  readonly role: NodeRole;
  readonly address: string | undefined;
}

/**
 * The machines of a lab. Each has an address of its own, as Linux lets a machine come from any of 127.0.0.0/8: the
 * mirror's access log tells them apart by it.
 */
export function labMachines({
  controlPlane,
  workers,
}: PlatformSite['cluster']): readonly LabMachine[] {
  const named = (role: NodeRole, count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `${role}-${index}`, role }));
  const machines = [
    { name: 'bootstrap', role: 'bootstrap' as const },
    ...named('master', controlPlane),
    ...named('worker', workers),
  ];
  const addressOf = (index: number) =>
    process.platform === 'linux' && index < 200 ? `127.0.0.${index + 11}` : undefined;
  return machines.map((machine, index) => ({ ...machine, address: addressOf(index) }));
}
