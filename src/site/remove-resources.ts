import { rm } from 'node:fs/promises';
import type { Context } from '../core/context.ts';
import type { Platform, Resource } from '../platform/platform.ts';
import type { Inventory } from './inventory.ts';
import { stopService } from './service.ts';

interface Owner {
  readonly inventory: Inventory;
  readonly platform: Pick<Platform, 'remove'>;
}

/** Removes what the site made and the filter takes, newest first. Safe to repeat. */
export async function removeResources(
  ctx: Context,
  { inventory, platform }: Owner,
  takes: (resource: Resource) => boolean,
): Promise<Resource[]> {
  const removed: Resource[] = [];
  for (const resource of inventory.resources().filter(takes)) {
    ctx.signal.throwIfAborted();
    await removeOne(ctx, platform, resource);
    await inventory.removed(resource);
    ctx.emit({ type: 'note.added', message: `Removed ${resource.kind} ${resource.id}` });
    removed.push(resource);
  }
  return removed;
}

async function removeOne(
  ctx: Context,
  platform: Owner['platform'],
  resource: Resource,
): Promise<void> {
  if (await platform.remove(ctx, resource)) return;
  if (resource.kind === 'service') await stopService(ctx, resource.id);
  if (resource.kind === 'directory') await rm(resource.id, { recursive: true, force: true });
}
