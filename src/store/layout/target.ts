import { once } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { withLock } from '../../core/lock.ts';
import type { Source, Target, TargetAbilities } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { isImage, type RawManifest } from '../../oci/manifest.ts';
import { isManifestType } from '../../oci/media-types.ts';
import { mismatch } from '../../oci/verify.ts';
import type { DiskStore } from '../disk/disk-store.ts';
import { missing } from '../missing.ts';
import { findSoundManifest } from '../read-manifest.ts';
import { type Store, uploadIdOf } from '../store.ts';
import { uploadPath } from './paths.ts';
import { setReference } from './references.ts';
import { layoutSource } from './source.ts';

export interface LayoutTarget extends Target {
  readonly can: Required<Pick<TargetAbilities, 'read' | 'setRoot' | 'resume'>>;
}

/** Puts images into a layout on disk. A tag becomes a name in `index.json`. */
export function layoutTarget(store: DiskStore): LayoutTarget {
  return {
    has: (ctx, descriptor) => has(ctx, store, descriptor),
    putBlob: (ctx, blob, chunks) => store.blobs.write(ctx, blob, chunks),
    putManifest: (ctx, manifest, tag) => putManifest(ctx, store, manifest, tag),
    can: {
      read: wholeImages(store),
      setRoot: (ctx, root, name) => setReference(ctx, store, name, root),
      resume: {
        partial: async (ctx, blob) =>
          (await store.uploads.offset(ctx, uploadIdOf(blob.digest))) ?? 0,
        putRest: (ctx, blob, offset, chunks) => putRest(ctx, store, { blob, offset }, chunks),
      },
    },
  };
}

/** The layout as a source whose names count only for images that are whole: others come again. */
function wholeImages(store: DiskStore): Source {
  const source = layoutSource(store);
  return {
    ...source,
    async resolve(ctx, tagOrDigest) {
      const found = await source.resolve(ctx, tagOrDigest);
      return found && (await has(ctx, store, found)) ? found : undefined;
    },
  };
}

/**
 * What is here and relied on is young again: garbage collection leaves it alone for a while. An
 * image is here with all it needs, or it is not: then it comes again, and what is missing with it.
 */
async function has(ctx: Context, store: Store, descriptor: Descriptor): Promise<boolean> {
  if (!(await hasBlob(ctx, store, descriptor))) return false;
  if (!isManifestType(descriptor.mediaType)) return true;
  const manifest = await findSoundManifest(ctx, store.blobs, descriptor.digest);
  return manifest !== undefined && (await missingIn(ctx, store, manifest)) === undefined;
}

async function hasBlob(ctx: Context, store: Store, { digest, size }: Descriptor): Promise<boolean> {
  const blob = await store.blobs.stat(ctx, digest);
  return blob?.size === size && (await store.blobs.touch(ctx, digest));
}

/** The first blob of an image that is not here. The images of an index are asked for one by one. */
async function missingIn(
  ctx: Context,
  store: Store,
  manifest: RawManifest,
): Promise<Descriptor | undefined> {
  for (const child of isImage(manifest) ? manifest.children : []) {
    if (!(await hasBlob(ctx, store, child))) return child;
  }
  return undefined;
}

async function putManifest(
  ctx: Context,
  store: DiskStore,
  manifest: RawManifest,
  tag: string | undefined,
): Promise<void> {
  const { mediaType, digest, size } = manifest.descriptor;
  const absent = await missingIn(ctx, store, manifest);
  if (absent) throw missing(absent.digest);
  await store.blobs.write(ctx, { mediaType, digest, size }, once(manifest.bytes));
  // Nothing contains an artifact: only the index tells that it is there.
  if (tag !== undefined || manifest.subject) {
    await setReference(ctx, store, tag, { mediaType, digest, size });
  }
}

interface Rest {
  readonly blob: Descriptor;
  readonly offset: number;
}

/** From the look at where it stands to its commit nobody else may come between. */
async function putRest(
  ctx: Context,
  store: DiskStore,
  rest: Rest,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const lock = `${uploadPath(store.root, uploadIdOf(rest.blob.digest))}.rest.lock`;
  await withLock(ctx, lock, { waitMs: 0 }, () => receiveRest(ctx, store, rest, chunks));
}

async function receiveRest(
  ctx: Context,
  store: Store,
  { blob, offset }: Rest,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const id = await store.uploads.begin(ctx, uploadIdOf(blob.digest));
  const start = await store.uploads.offset(ctx, id);
  if (start !== offset) throw movedOn(blob, offset);
  const end = await store.uploads.append(ctx, id, atMost(blob, offset, chunks));
  // Kept: the next attempt fetches what is still missing.
  if (end < blob.size) throw mismatch(blob, `only ${end} of ${blob.size} bytes`);
  await store.uploads.commit(ctx, id, blob.digest);
}

function movedOn({ digest }: Descriptor, offset: number): AtollError {
  const what = `Cannot continue ${digest} at byte ${offset}: another process went on with it`;
  return new AtollError('LOCKED', what, { hint: 'Run the same command again' });
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
