import type { Context } from '../../core/context.ts';
import type { DiskStore } from '../../store/disk/disk-store.ts';
import type { FileBacked, Store } from '../../store/store.ts';
import { layoutRoots, type Root } from '../../store/upkeep/roots.ts';
import { CACHE_SPACE, type Links, openLinks, STORE_SPACE } from '../storage/links.ts';

/** The repositories of the registry itself, or of the cache of one upstream. */
export interface Space {
  /** Undefined for the registry's own. */
  readonly upstream: string | undefined;
  readonly links: Links;
}

export async function allSpaces(ctx: Context, store: Store): Promise<readonly Space[]> {
  const upstreams = new Set<string>();
  for await (const key of store.records.list(ctx, `${CACHE_SPACE}/`)) {
    upstreams.add(key.split('/')[1] ?? '');
  }
  return [
    { upstream: undefined, links: openLinks(store.records, STORE_SPACE) },
    ...[...upstreams].map((upstream) => ({
      upstream,
      links: openLinks(store.records, `${CACHE_SPACE}/${upstream}`),
    })),
  ];
}

/** Every manifest of a space, under each of its names. */
export async function* spaceRoots(ctx: Context, { upstream, links }: Space): AsyncGenerator<Root> {
  const prefix = upstream === undefined ? '' : `${upstream}/`;
  for await (const repository of links.repositories(ctx)) {
    const tagged = new Set<string>();
    for await (const tag of links.tags.list(ctx, repository)) {
      const link = await links.tags.get(ctx, repository, tag);
      if (!link) continue;
      tagged.add(link.digest);
      yield { name: `${prefix}${repository}:${tag}`, digest: link.digest };
    }
    for await (const digest of links.manifests.list(ctx, repository)) {
      if (!tagged.has(digest)) yield { name: `${prefix}${repository}@${digest}`, digest };
    }
  }
}

/** Images that somebody put into the store as an OCI layout, not through the registry. */
export async function* layoutRootsOf(ctx: Context, store: Store): AsyncGenerator<Root> {
  if (isOnDisk(store)) yield* layoutRoots(ctx, store);
}

const isOnDisk = (store: Store): store is DiskStore => 'root' in (store as Partial<FileBacked>);
