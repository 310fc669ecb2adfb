import type { Context } from '../core/context.ts';
import { exists } from '../core/files.ts';
import type { SiteResource } from '../platform/platform.ts';
import { installedKubeconfig } from '../platform/shared/installer.ts';
import { bringCluster } from './bastion/bring-cluster.ts';
import type { OpenSite } from './open-site.ts';
import { removeResources } from './remove-resources.ts';
import type { StageWork } from './stages/stage.ts';

export interface DownOptions {
  /** Only what a private site needs for the install and no longer. */
  readonly temporary: boolean;
}

/** What `takeDown` would remove, newest first. */
export function planDown(
  { inventory }: OpenSite,
  { temporary }: DownOptions,
): readonly SiteResource[] {
  return inventory.resources().filter((resource) => !temporary || resource.temporary);
}

/** What stands on the mirror: without it, it has to be made, filled and pointed at again. */
const ON_THE_MIRROR: readonly string[] = ['registry', 'images', 'config'];

/** What is on a bastion elsewhere, and goes with its folder. */
const ON_THE_BASTION: readonly string[] = ['bastion', 'credentials', 'tools'];

/** Removes exactly what the site made, newest first, and forgets that its steps ran. Safe to repeat. */
export async function takeDown(
  ctx: Context,
  open: OpenSite,
  options: DownOptions,
): Promise<readonly SiteResource[]> {
  const planned = planDown(open, options);
  const doomed = new Set(planned.map(({ id }) => id));
  const lost = [
    ...(doomed.size > 0 ? ON_THE_MIRROR : []),
    ...(planned.some(({ kind }) => kind === 'bastion-folder') ? ON_THE_BASTION : []),
  ];
  // First: whatever stops this half-way, nothing counts as done whose things may be gone.
  for (const [step, { state }] of open.journal.steps()) {
    const forgotten = !options.temporary || lost.includes(step);
    if (forgotten && state !== 'undone') await open.journal.append({ kind: 'undone', step });
  }
  await bringCluster(ctx, open.work);
  if (options.temporary) await tellProxy(ctx, open.work);
  return removeResources(ctx, open.work, ({ id }) => doomed.has(id), options.temporary);
}

/** A cluster that was installed with a proxy goes on asking for it. */
async function tellProxy(ctx: Context, { site, paths }: StageWork): Promise<void> {
  const isUsed = site.proxy.enabled && site.proxy.url === undefined;
  if (!isUsed || !(await exists(installedKubeconfig(paths)))) return;
  ctx.emit({
    type: 'warning.raised',
    subject: 'proxy',
    message: 'The proxy goes, and the cluster was installed to reach the internet through it',
    hint: `Give it another one, or none where it has another way out: oc --kubeconfig ${installedKubeconfig(paths)} patch proxy/cluster --type merge -p '{"spec":{"httpProxy":"","httpsProxy":""}}'`,
  });
}
