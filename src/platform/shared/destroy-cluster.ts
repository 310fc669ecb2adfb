import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { exists } from '../../core/files.ts';
import { shellLine } from '../../core/format.ts';
import { localHost } from '../../host/local-host.ts';
import type { PlatformSite } from '../platform.ts';
import { clusterFolder } from './installer.ts';

/** How the inventory knows a cluster that the installer made. */
export const CLUSTER_KIND = 'openshift-cluster';

const HOUR_MS = 3_600_000;

/** Destroys what the installer made, by what it noted; without a note it made nothing. Needs only the API of the platform, so it runs here. */
export async function destroyCluster(
  ctx: Context,
  site: Pick<PlatformSite, 'paths'>,
): Promise<true> {
  const folder = clusterFolder(site.paths);
  if (await exists(join(folder, 'metadata.json'))) await runDestroy(ctx, site, folder);
  await rm(folder, { recursive: true, force: true });
  return true;
}

async function runDestroy(
  ctx: Context,
  { paths }: Pick<PlatformSite, 'paths'>,
  folder: string,
): Promise<void> {
  const program = join(paths.tools, 'openshift-install');
  const args = ['destroy', 'cluster', '--dir', folder];
  const { status, stderr } = await localHost().run(ctx, program, args, { timeoutMs: 2 * HOUR_MS });
  if (status === 0) return;
  throw new AtollError(
    'CLUSTER_FAILED',
    `Cannot destroy the cluster in ${folder}: openshift-install ended with status ${status}: ${stderr.trim().split('\n').at(-1)}`,
    { hint: `Look what it says: ${shellLine([program, ...args])}`, details: { status } },
  );
}
