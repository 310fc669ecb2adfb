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
  const spec = (name: string, role: NodeRole): NodeSpec => ({
    ...common,
    name,
    role,
    root: join(machinesOf(paths.state), name),
  });
  return [
    spec('bootstrap', 'bootstrap'),
    ...Array.from({ length: masters }, (_, index) => spec(`master-${index}`, 'master')),
    ...Array.from({ length: workers }, (_, index) => spec(`worker-${index}`, 'worker')),
  ];
}
