import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { exists, writeFileAtomic } from '../../core/files.ts';
import { bastionOf } from '../stages/places.ts';
import type { StageWork } from '../stages/stage.ts';
import { bastionPlace } from './bastion-place.ts';
import { must } from './carry-atoll.ts';
import { bring } from './on-bastion.ts';
import { STOP_ALL } from './run-there.ts';

const INSTALLER = 'openshift-install';

/**
 * Brings here what knows the cluster, before the bastion goes that it was installed from: without it nobody could log
 * in to the cluster, or destroy it.
 */
export async function bringCluster(ctx: Context, work: StageWork): Promise<void> {
  const { paths, inventory, platform } = work;
  const claimed = inventory.resources();
  const isClaimed = (kind: string) => claimed.some((resource) => resource.kind === kind);
  const isMade = platform.makes?.some(({ kind }) => isClaimed(kind));
  if (!isMade || !isClaimed('bastion-folder')) return;
  const host = await bastionOf(ctx, work);
  const place = bastionPlace(work.site);
  await must(ctx, host, 'sh', ['-c', STOP_ALL, 'stop', place.directory]);
  await bring(ctx, host, place.paths.install, paths.install);
  const there = join(place.paths.tools, INSTALLER);
  const isThere = (await host.run(ctx, 'test', ['-e', there])).status === 0;
  if (!isThere || (await exists(join(paths.tools, INSTALLER)))) return;
  const mode = 0o755;
  await writeFileAtomic(join(paths.tools, INSTALLER), host.get(ctx, there), { mode });
}
