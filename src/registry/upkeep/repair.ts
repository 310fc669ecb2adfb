import { once } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Digest } from '../../oci/digest.ts';
import type { Store } from '../../store/store.ts';
import type { ContentProblem } from '../../store/upkeep/problems.ts';
import { type Links, openLinks } from '../storage/links.ts';

/** Fetches bad content again, from the repository that links it. Returns what is good now. */
export async function repairContent(
  ctx: Context,
  store: Store,
  problems: readonly ContentProblem[],
  sourceOf: (repository: string) => Source,
): Promise<readonly Digest[]> {
  const links = openLinks(store.records);
  const repaired: Digest[] = [];
  for (const { digest } of problems) {
    ctx.signal.throwIfAborted();
    try {
      if (await repairOne(ctx, store, links, digest, sourceOf)) repaired.push(digest);
    } catch (error) {
      ctx.signal.throwIfAborted();
      const message = `Cannot repair ${digest}: ${messageOf(error)}`;
      ctx.emit({ type: 'warning.raised', message, subject: digest });
    }
  }
  return repaired;
}

/** Any repository that links it may have it there; what the last one said is told when none has. */
async function repairOne(
  ctx: Context,
  store: Store,
  links: Links,
  digest: Digest,
  sourceOf: (repository: string) => Source,
): Promise<boolean> {
  let failure: unknown;
  for await (const repository of links.repositories(ctx)) {
    try {
      const link = await links.blobs.get(ctx, repository, digest);
      if (link) return await repairBlob(ctx, store, sourceOf(repository), digest, link.size);
      if (!(await links.manifests.get(ctx, repository, digest))) continue;
      if (await repairManifest(ctx, store, sourceOf(repository), digest)) return true;
    } catch (error) {
      ctx.signal.throwIfAborted();
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  return false;
}

async function repairBlob(
  ctx: Context,
  store: Store,
  source: Source,
  digest: Digest,
  size: number,
): Promise<true> {
  const descriptor = { digest, size, mediaType: 'application/octet-stream' };
  await replace(ctx, store, descriptor, source.blob(ctx, descriptor));
  return true;
}

async function repairManifest(
  ctx: Context,
  store: Store,
  source: Source,
  digest: Digest,
): Promise<boolean> {
  const descriptor = await source.resolve(ctx, digest);
  if (!descriptor) return false;
  const manifest = await source.manifest(ctx, descriptor);
  await replace(ctx, store, manifest.descriptor, once(manifest.bytes));
  return true;
}

/** The damaged one goes only when the first bytes of the good one are here. */
async function replace(
  ctx: Context,
  store: Store,
  expected: Parameters<Store['blobs']['write']>[1],
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  await store.blobs.remove(ctx, expected.digest);
  await store.blobs.write(ctx, expected, continued(first, iterator));
}

async function* continued(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}
