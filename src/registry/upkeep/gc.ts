import type { Context } from '../../core/context.ts';
import type { Digest } from '../../oci/digest.ts';
import type { Store } from '../../store/store.ts';
import { collectGarbage, type GcReport } from '../../store/upkeep/gc.ts';
import { readGraph } from '../../store/upkeep/graph.ts';
import { allRoots } from '../../store/upkeep/roots.ts';
import type { Links } from '../storage/links.ts';
import { allSpaces, layoutRootsOf, type Space, spaceRoots } from './spaces.ts';

export interface RegistryGcOptions {
  /** Younger content stays, whether anything needs it or not. */
  readonly graceMs?: number | undefined;
  readonly uploadGraceMs?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface RegistryGcReport extends GcReport {
  /** Links to blobs that are gone now. */
  readonly removedLinks: number;
}

/**
 * Removes what no manifest of any repository needs, while the registry runs. Whoever pushes makes
 * content young by sending it or by finding it there; young content stays.
 */
export async function collectRegistry(
  ctx: Context,
  store: Store,
  options: RegistryGcOptions = {},
): Promise<RegistryGcReport> {
  const spaces = await allSpaces(ctx, store);
  const rootsOf = (all: readonly Space[]) =>
    allRoots(layoutRootsOf(ctx, store), ...all.map((space) => spaceRoots(ctx, space)));
  const report = await collectGarbage(ctx, store, {
    roots: rootsOf(spaces),
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
    ...(options.uploadGraceMs === undefined ? {} : { uploadGraceMs: options.uploadGraceMs }),
    dryRun: options.dryRun ?? false,
  });
  if (report.dryRun) return { ...report, removedLinks: 0 };
  // A cache links to blobs it has not fetched yet: there, a link without a blob is as it should be.
  const own = spaces.filter(({ upstream }) => upstream === undefined);
  // A blob that an image still needs was lost, and its links say from where to fetch it again.
  const { reached } = await readGraph(ctx, store.blobs, rootsOf(own));
  let removedLinks = 0;
  for (const { links } of own) removedLinks += await removeDeadLinks(ctx, store, links, reached);
  return { ...report, removedLinks };
}

async function removeDeadLinks(
  ctx: Context,
  store: Store,
  links: Links,
  needed: ReadonlySet<Digest>,
): Promise<number> {
  let removed = 0;
  for await (const repository of links.repositories(ctx)) {
    for await (const digest of links.blobs.list(ctx, repository)) {
      if (needed.has(digest)) continue;
      if (await removeIfDead(ctx, store, links, repository, digest)) removed += 1;
    }
  }
  return removed;
}

async function removeIfDead(
  ctx: Context,
  store: Store,
  links: Links,
  repository: string,
  digest: Digest,
): Promise<boolean> {
  if (await store.blobs.stat(ctx, digest)) return false;
  const link = await links.blobs.get(ctx, repository, digest);
  await links.blobs.remove(ctx, repository, digest);
  // Pushed again just now: then the link is theirs.
  const back = await store.blobs.stat(ctx, digest);
  if (!back || !link) return true;
  await links.blobs.set(ctx, repository, digest, link);
  return false;
}
