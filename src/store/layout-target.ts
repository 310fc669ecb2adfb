import type { Context } from '../core/context.ts';
import type { ResumableTarget, RootTarget, Target } from '../oci/content.ts';
import type { Descriptor } from '../oci/descriptor.ts';
import type { RawManifest } from '../oci/manifest.ts';
import { mismatch } from '../oci/verify.ts';
import type { DiskStore } from './disk-store.ts';
import { setReference } from './references.ts';
import { type Store, uploadIdOf } from './store.ts';

export type LayoutTarget = Target & ResumableTarget & RootTarget;

/** Puts images into a layout on disk. A tag becomes a name in `index.json`. */
export function layoutTarget(store: DiskStore): LayoutTarget {
  return {
    has: (ctx, descriptor) => has(ctx, store, descriptor),
    putBlob: (ctx, blob, chunks) => store.blobs.write(ctx, blob, chunks),
    putManifest: (ctx, manifest, tag) => putManifest(ctx, store, manifest, tag),
    setRoot: (ctx, root, name) => setReference(ctx, store, name, root),
    partial: async (ctx, blob) => (await store.uploads.offset(ctx, uploadIdOf(blob.digest))) ?? 0,
    putRest: (ctx, blob, offset, chunks) => putRest(ctx, store, { blob, offset }, chunks),
  };
}

/** What is here and relied on is young again: garbage collection leaves it alone for a while. */
async function has(ctx: Context, store: Store, { digest, size }: Descriptor): Promise<boolean> {
  const blob = await store.blobs.stat(ctx, digest);
  return blob?.size === size && (await store.blobs.touch(ctx, digest));
}

async function putManifest(
  ctx: Context,
  store: DiskStore,
  manifest: RawManifest,
  tag: string | undefined,
): Promise<void> {
  const { mediaType, digest, size } = manifest.descriptor;
  await store.blobs.write(ctx, { mediaType, digest, size }, once(manifest.bytes));
  // Nothing contains an artifact: only the index tells that it is there.
  if (tag !== undefined || manifest.subject) {
    await setReference(ctx, store, tag, { mediaType, digest, size });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function putRest(
  ctx: Context,
  store: Store,
  { blob, offset }: { readonly blob: Descriptor; readonly offset: number },
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const id = await store.uploads.begin(ctx, uploadIdOf(blob.digest));
  const start = await store.uploads.offset(ctx, id);
  if (start !== offset) throw new Error(`Cannot continue ${blob.digest} at ${offset}: at ${start}`);
  const end = await store.uploads.append(ctx, id, atMost(blob, offset, chunks));
  // Kept: the next attempt fetches what is still missing.
  if (end < blob.size) throw mismatch(blob, `only ${end} of ${blob.size} bytes`);
  await store.uploads.commit(ctx, id, blob.digest);
}

/** A source that sends too much must not fill the disk. */
async function* atMost(
  blob: Descriptor,
  offset: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let size = offset;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > blob.size) throw mismatch(blob, `more than ${blob.size} bytes`);
    yield chunk;
  }
}
