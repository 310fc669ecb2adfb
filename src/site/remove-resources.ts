import { rm } from 'node:fs/promises';
import type { Context } from '../core/context.ts';
import type { SiteResource } from '../platform/platform.ts';
import { removeFromBastion } from './bastion/bastion-folder.ts';
import { stopService } from './service.ts';
import { removeSquid } from './stages/squid-process.ts';
import type { StageWork } from './stages/stage.ts';
import { removeUnit } from './system-service.ts';

type Owner = Pick<StageWork, 'site' | 'inventory' | 'platform'>;

/** Removes what the site made and the filter takes, newest first. Safe to repeat. */
export async function removeResources(
  ctx: Context,
  owner: Owner,
  takes: (resource: SiteResource) => boolean,
  /** What is not temporary stays, on the bastion, too. */
  temporary = false,
): Promise<SiteResource[]> {
  const { inventory } = owner;
  const removed: SiteResource[] = [];
  for (const resource of inventory.resources().filter(takes)) {
    ctx.signal.throwIfAborted();
    await removeOne(ctx, owner, resource, temporary);
    await inventory.removed(resource);
    ctx.emit({ type: 'note.added', message: `Removed ${resource.kind} ${resource.id}` });
    removed.push(resource);
  }
  return removed;
}

async function removeOne(
  ctx: Context,
  owner: Owner,
  resource: SiteResource,
  temporary: boolean,
): Promise<void> {
  if (await owner.platform.remove(ctx, resource)) return;
  if (await removeFromBastion(ctx, owner, resource, temporary)) return;
  if (resource.kind === 'proxy') await removeSquid(ctx, resource.id);
  if (resource.kind === 'unit') await removeUnit(ctx, resource.id);
  if (resource.kind === 'service') await stopService(ctx, resource.id);
  if (resource.kind === 'directory') await rm(resource.id, { recursive: true, force: true });
}
