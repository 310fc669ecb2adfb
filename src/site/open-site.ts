import type { Context } from '../core/context.ts';
import { acquireLock, type Lock } from '../core/lock.ts';
import type { OpenPlatform } from '../platform/platform.ts';
import { type Journal, openJournal } from '../workflow/journal.ts';
import { openInventory, type SiteInventory } from './inventory.ts';
import { hasMirror, mirrorHost } from './mirror-place.ts';
import { platformFiles } from './platform-files.ts';
import { type Site, sitePath } from './read-site.ts';
import { type SitePaths, sitePaths } from './site-paths.ts';
import { siteShape } from './site-shape.ts';
import { registerSecrets } from './stages/secrets.ts';
import type { Env, StageWork } from './stages/stage.ts';

/** A site with its memory open. To change it one must be the only one. */
export interface OpenSite {
  readonly work: StageWork;
  readonly journal: Journal;
  readonly inventory: SiteInventory;
  close(): Promise<void>;
}

export type Access = 'change' | 'look';

export async function openSite(
  ctx: Context,
  site: Site,
  env: Env,
  access: Access = 'change',
): Promise<OpenSite> {
  const paths = sitePaths(site);
  const platform = await openPlatform(site, paths);
  const lock: Lock | undefined =
    access === 'change' ? await acquireLock(ctx, paths.lock, `site "${site.name}"`) : undefined;
  try {
    if (access === 'change') await registerSecrets(paths);
    const journal = await openJournal(ctx, paths.journal);
    const inventory = await openInventory(ctx, paths.inventory);
    return {
      work: { site, paths, platform, inventory, env },
      journal,
      inventory,
      async close() {
        await journal.close();
        await inventory.close();
        await platform.close();
        await lock?.release();
      },
    };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

/** The platform of a site. One that is not built refuses. */
export function openPlatform(
  site: Site,
  paths: SitePaths = sitePaths(site),
): Promise<OpenPlatform> {
  const { name, cluster, platform: settings, platformKind } = site;
  const mirror = hasMirror(site) ? mirrorHost(site) : undefined;
  const domain = `${cluster.name}.${cluster.baseDomain}`;
  const disconnected = site.mode === 'disconnected';
  const shape = siteShape(site);
  const at = (path: string | undefined) => (path === undefined ? path : sitePath(site, path));
  const { privateKey, knownHosts } = site.bastion;
  const bastion = { ...site.bastion, privateKey: at(privateKey), knownHosts: at(knownHosts) };
  return platformKind.open({
    name,
    domain,
    disconnected,
    settings,
    files: Object.fromEntries(
      platformFiles(site).map(([setting, path]) => [setting, sitePath(site, path)]),
    ),
    bastion,
    cluster,
    shape,
    mirror,
    paths,
  });
}
