import type { Context } from '../../core/context.ts';
import type { Digest } from '../../oci/digest.ts';
import type { Store } from '../../store/store.ts';
import { allSpaces, type Space } from './spaces.ts';

export interface RepositoryUsage {
  /** With the upstream's host in front for what a cache holds. */
  readonly repository: string;
  readonly tags: number;
  readonly manifests: number;
  readonly blobs: number;
  /** All it holds. */
  readonly bytes: number;
  /** What would be free without it. */
  readonly uniqueBytes: number;
  /** What other repositories hold as well. */
  readonly sharedBytes: number;
}

export interface UsageReport {
  readonly repositories: readonly RepositoryUsage[];
  /** Each piece of content counted once. */
  readonly totalBytes: number;
  /** Content that belongs to no repository; `gc` removes it. */
  readonly unlinkedBytes: number;
}

interface Holding {
  readonly repository: string;
  readonly tags: number;
  readonly manifests: number;
  readonly digests: ReadonlySet<Digest>;
}

/** Who uses how much, and how much of it together with others. Largest first. */
export async function registryUsage(ctx: Context, store: Store): Promise<UsageReport> {
  const sizes = new Map<Digest, number>();
  for await (const { digest, size } of store.blobs.list(ctx)) sizes.set(digest, size);
  const holdings: Holding[] = [];
  for (const space of await allSpaces(ctx, store)) {
    for await (const holding of holdingsOf(ctx, space, sizes)) holdings.push(holding);
  }
  const holders = new Map<Digest, number>();
  for (const { digests } of holdings) {
    for (const digest of digests) holders.set(digest, (holders.get(digest) ?? 0) + 1);
  }
  const sum = (digests: Iterable<Digest>) =>
    [...digests].reduce((bytes, digest) => bytes + (sizes.get(digest) ?? 0), 0);
  const repositories = holdings.map(({ repository, tags, manifests, digests }) => {
    const bytes = sum(digests);
    const uniqueBytes = sum([...digests].filter((digest) => holders.get(digest) === 1));
    const sharedBytes = bytes - uniqueBytes;
    const blobs = digests.size - manifests;
    return { repository, tags, manifests, blobs, bytes, uniqueBytes, sharedBytes };
  });
  return {
    repositories: repositories.toSorted(
      (a, b) => b.bytes - a.bytes || (a.repository < b.repository ? -1 : 1),
    ),
    totalBytes: sum(sizes.keys()),
    unlinkedBytes: sum([...sizes.keys()].filter((digest) => !holders.has(digest))),
  };
}

async function* holdingsOf(
  ctx: Context,
  { upstream, links }: Space,
  sizes: ReadonlyMap<Digest, number>,
): AsyncGenerator<Holding> {
  for await (const repository of links.repositories(ctx)) {
    const tags = await gather(links.tags.list(ctx, repository));
    const isHere = (digest: Digest) => sizes.has(digest);
    const manifests = (await gather(links.manifests.list(ctx, repository))).filter(isHere);
    const blobs = (await gather(links.blobs.list(ctx, repository))).filter(isHere);
    yield {
      repository: upstream === undefined ? repository : `${upstream}/${repository}`,
      tags: tags.length,
      manifests: manifests.length,
      digests: new Set([...manifests, ...blobs]),
    };
  }
}

async function gather<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
