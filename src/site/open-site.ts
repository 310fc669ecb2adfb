import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { acquireLock, type Lock } from '../core/lock.ts';
import { labPlatform } from '../platform/lab.ts';
import { nonePlatform } from '../platform/none.ts';
import type { Platform } from '../platform/platform.ts';
import { type Journal, openJournal } from '../workflow/journal.ts';
import { type Inventory, openInventory } from './inventory.ts';
import type { Site } from './read-site.ts';
import { sitePaths } from './site-paths.ts';
import { bastionHost } from './stages/places.ts';
import { registerSecrets } from './stages/secrets.ts';
import type { Env, StageWork } from './stages/stage.ts';

/** A site with its memory open. To change it one must be the only one. */
export interface OpenSite {
  readonly work: StageWork;
  readonly journal: Journal;
  readonly inventory: Inventory;
  close(): Promise<void>;
}

export type Access = 'change' | 'look';

/** What a platform does in place of the stages: composed above, where all platforms are known. */
export type PlatformHooks = (
  work: StageWork,
) => Partial<Pick<StageWork, 'addressOf' | 'runCluster' | 'verifyCluster'>>;

export interface OpenOptions {
  readonly hooks: PlatformHooks;
  readonly access?: Access;
}

export async function openSite(
  ctx: Context,
  site: Site,
  env: Env,
  { hooks, access = 'change' }: OpenOptions,
): Promise<OpenSite> {
  const paths = sitePaths(site);
  const lock: Lock | undefined =
    access === 'change' ? await acquireLock(ctx, paths.lock, `site "${site.name}"`) : undefined;
  try {
    if (access === 'change') await registerSecrets(paths);
    const journal = await openJournal(ctx, paths.journal);
    const inventory = await openInventory(ctx, paths.inventory);
    const platform = platformOf(site);
    const base = {
      site,
      paths,
      platform,
      inventory,
      env,
      addressOf: undefined,
      runCluster: undefined,
      verifyCluster: undefined,
    };
    const work: StageWork = { ...base, ...hooks(base) };
    return {
      work,
      journal,
      inventory,
      async close() {
        await journal.close();
        await inventory.close();
        await lock?.release();
      },
    };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

export function platformOf(site: Site): Platform {
  const bastion = () => bastionHost(site);
  switch (site.platform.type) {
    case 'lab':
      return labPlatform(join(site.state, 'machines'), bastion);
    case 'none':
      return nonePlatform(bastion);
    default:
      throw new AtollError(
        'NOT_BUILT',
        `Cannot work on platform "${site.platform.type}": atoll knows "none" and "lab" so far`,
        {
          hint: '"atoll render" writes the files for it; with hosts of your own use platform none',
        },
      );
  }
}
