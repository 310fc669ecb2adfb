import type { Context } from '../../core/context.ts';
import { lazily } from '../../core/lazily.ts';
import type { Digest } from '../../oci/digest.ts';
import type { Store } from '../../store/store.ts';
import type { Links } from '../storage/links.ts';
import { attachedTo, reachedFrom, readRepository, removeManifest } from './repository-graph.ts';

/** When each blob was last pushed, or found by somebody who pushes. */
export type PushTimes = () => Promise<ReadonlyMap<Digest, Date>>;

/** Read once, and only where a rule asks: it is a look at every file of the store. */
export function timesOfBlobs(ctx: Context, store: Store): PushTimes {
  return lazily(async () => {
    const times = new Map<Digest, Date>();
    for await (const { digest, modifiedAt } of store.blobs.list(ctx)) times.set(digest, modifiedAt);
    return times;
  });
}

interface Untagged {
  readonly repository: string;
  /** What was pushed since then stays, with all it needs. */
  readonly before: Date;
  readonly pushedAt: PushTimes;
  readonly dryRun: boolean;
}

/** Removes images that lost their last tag, or never had one; returns how many manifests. `gc` frees the bytes. */
export async function removeUntagged(
  ctx: Context,
  store: Store,
  links: Links,
  { repository, before, pushedAt, dryRun }: Untagged,
): Promise<number> {
  const graph = await readRepository(ctx, store, links, repository);
  const times = await pushedAt();
  const isYoung = (digest: Digest) => (times.get(digest) ?? before) >= before;
  // Tags last: one that was set meanwhile counts.
  const tags = await tagsIn(ctx, links, repository);
  const young = [...graph.keys()].filter(isYoung);
  const roots = tags.filter(({ about }) => about === undefined || !graph.has(about));
  const wanted = reachedFrom(graph, [...roots.map(({ digest }) => digest), ...young]);
  const isLost = ({ about }: Tagged) =>
    about !== undefined && graph.has(about) && !wanted.has(about);
  const kept = tags.filter((tag) => !isLost(tag)).map(({ digest }) => digest);
  const needed = reachedFrom(graph, [...kept, ...young]);
  const going = [...graph].filter(([digest]) => !needed.has(digest));
  if (dryRun) return going.length;
  for (const { tag } of tags.filter(isLost)) await links.tags.remove(ctx, repository, tag);
  for (const [digest, { subject }] of going)
    await removeManifest(ctx, links, repository, digest, subject);
  return going.length;
}

interface Tagged {
  readonly tag: string;
  readonly digest: Digest;
  /** The image that a signature beside it is for: the tag says nothing of its own, and goes with it. */
  readonly about: Digest | undefined;
}

async function tagsIn(ctx: Context, links: Links, repository: string): Promise<Tagged[]> {
  const tags: Tagged[] = [];
  for await (const tag of links.tags.list(ctx, repository)) {
    const digest = (await links.tags.get(ctx, repository, tag))?.digest;
    const about = attachedTo(tag);
    if (digest) tags.push({ tag, digest, about: about === digest ? undefined : about });
  }
  return tags;
}
