import type { Context } from '../core/context.ts';
import type { Resource } from '../platform/platform.ts';
import type { OpenSite } from './open-site.ts';
import { removeResources } from './remove-resources.ts';
import { STAGE_IDS } from './stages/stage.ts';

export interface DownOptions {
  /** Only what a private site needs for the install and no longer. */
  readonly temporary: boolean;
}

/** What `takeDown` would remove, newest first. */
export function planDown({ inventory }: OpenSite, { temporary }: DownOptions): readonly Resource[] {
  return inventory.resources().filter((resource) => !temporary || resource.temporary);
}

/** Removes exactly what the site made, newest first, and forgets that its stages ran. Safe to repeat. */
export async function takeDown(
  ctx: Context,
  open: OpenSite,
  options: DownOptions,
): Promise<readonly Resource[]> {
  const doomed = new Set(planDown(open, options).map(({ id }) => id));
  const removed = await removeResources(ctx, open.work, ({ id }) => doomed.has(id));
  for (const step of options.temporary ? [] : STAGE_IDS) {
    if (open.journal.history(step)) await open.journal.append({ kind: 'undone', step });
  }
  return removed;
}
