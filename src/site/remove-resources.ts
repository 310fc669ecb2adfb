import { rm } from 'node:fs/promises';
import type { Context } from '../core/context.ts';
import type { OpenPlatform, SiteResource } from '../platform/platform.ts';
import { removeFromBastion } from './bastion/bastion-folder.ts';
import type { SiteInventory } from './inventory.ts';
import { stopService } from './service.ts';
import { removeUnit } from './system-service.ts';

interface Owner {
  readonly inventory: SiteInventory;
  readonly platform: Pick<OpenPlatform, 'remove' | 'bastion'>;
}

/** Removes what the site made and the filter takes, newest first. Safe to repeat. */
export async function removeResources(
  ctx: Context,
  { inventory, platform }: Owner,
  takes: (resource: SiteResource) => boolean,
): Promise<SiteResource[]> {
  const removed: SiteResource[] = [];
  for (const resource of inventory.resources().filter(takes)) {
    ctx.signal.throwIfAborted();
    await removeOne(ctx, { platform, inventory }, resource);
    await inventory.removed(resource);
    ctx.emit({ type: 'note.added', message: `Removed ${resource.kind} ${resource.id}` });
    removed.push(resource);
  }
  return removed;
}

async function removeOne(
  ctx: Context,
  { platform, inventory }: Owner,
  resource: SiteResource,
): Promise<void> {
  if (await platform.remove(ctx, resource)) return;
  const open = () => platform.bastion(ctx, (claimed) => inventory.claim(claimed));
  if (await removeFromBastion(ctx, resource, open)) return;
  if (resource.kind === 'unit') await removeUnit(ctx, resource.id);
  if (resource.kind === 'service') await stopService(ctx, resource.id);
  if (resource.kind === 'directory') await rm(resource.id, { recursive: true, force: true });
}
