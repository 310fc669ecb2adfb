import { link, open, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, systemCodeOf } from '../../core/errors.ts';
import { syncDirectory, unreadable, unwritable } from '../../core/files.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { MAX_MANIFEST_BYTES } from '../../oci/manifest.ts';
import { verified } from '../../oci/verify.ts';
import { ALGORITHMS, blobPath, temporaryPath } from '../layout/paths.ts';
import { missing } from '../missing.ts';
import type { Blobs, ByteRange, StoredBlob } from '../store.ts';
import { appendFile } from './append-file.ts';
import { blobSize, publishFile, removeIfPresent, reuseBlob, touchBlob } from './publish-file.ts';
import { readPath } from './read-file.ts';

/** The blobs of an image layout on disk. */
export function diskBlobs(root: string): Blobs {
  return {
    async stat(_ctx, digest) {
      const size = await blobSize(root, digest);
      return size === undefined ? undefined : { digest, size };
    },
    read: (ctx, digest, range) => readBlobFile(ctx, blobPath(root, digest), digest, range),
    write: (ctx, expected, chunks) => write(ctx, root, expected, chunks),
    async remove(_ctx, digest, untouchedSince) {
      const path = blobPath(root, digest);
      const removed = untouchedSince
        ? await removeUntouched(path, temporaryPath(root), untouchedSince)
        : await removeIfPresent(path);
      if (removed) await syncDirectory(dirname(path));
      return removed;
    },
    touch: (_ctx, digest) => touchBlob(root, digest),
    list: (ctx) => list(ctx, root),
  };
}

/**
 * Takes the file away before looking at its time: who touched it before that is seen, and who
 * comes after finds it absent. One that was touched goes back.
 */
async function removeUntouched(path: string, aside: string, since: Date): Promise<boolean> {
  try {
    await rename(path, aside);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw unwritable(path, error);
  }
  const touched = (await stat(aside)).mtime >= since;
  // Written anew meanwhile: then that one stays.
  if (touched) await link(aside, path).catch(() => undefined);
  await removeIfPresent(aside);
  return !touched;
}

/** The bytes of the file that holds a blob; what goes wrong gets a name. */
export async function* readBlobFile(
  ctx: Context,
  path: string,
  digest: Digest,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of readPath(path, range)) {
      ctx.signal.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    if (error instanceof AtollError || systemCodeOf(error) === undefined) throw error;
    throw systemCodeOf(error) === 'ENOENT' ? missing(digest, error) : unreadable(path, error);
  }
}

/** A crash at any point leaves either the whole blob or nothing under `blobs/`. */
async function write(
  ctx: Context,
  root: string,
  expected: Descriptor,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  if ((await reuseBlob(root, expected)) && (await isSound(ctx, root, expected))) return;
  const partial = temporaryPath(root);
  try {
    const file = await open(partial, 'wx');
    try {
      const check = () => ctx.signal.throwIfAborted();
      await appendFile(file, 0, verified(expected, chunks), check);
      await file.datasync();
    } finally {
      await file.close();
    }
    await publishFile(partial, root, expected.digest);
  } catch (error) {
    await removeIfPresent(partial);
    throw unwritable(partial, error);
  }
}

/** What is as small as a manifest is compared again: so a damaged one mends when its image comes again. */
async function isSound(ctx: Context, root: string, blob: Descriptor): Promise<boolean> {
  if (blob.size > MAX_MANIFEST_BYTES) return true;
  try {
    const found = readBlobFile(ctx, blobPath(root, blob.digest), blob.digest);
    for await (const _ of verified(blob, found));
    return true;
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof AtollError) return false;
    throw error;
  }
}

async function* list(
  ctx: Context,
  root: string,
): AsyncGenerator<StoredBlob & { readonly modifiedAt: Date }> {
  for (const algorithm of ALGORITHMS) {
    const directory = join(root, 'blobs', algorithm);
    for (const name of (await namesIn(directory)).toSorted()) {
      ctx.signal.throwIfAborted();
      const digest = `${algorithm}:${name}`;
      // Somebody else's file or a folder, or removed since: not a blob.
      if (!isDigest(digest)) continue;
      const status = await stat(join(directory, name)).catch(() => undefined);
      if (status?.isFile()) yield { digest, size: status.size, modifiedAt: status.mtime };
    }
  }
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    // A layout that another tool made has folders only for the algorithms it needs.
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw unreadable(directory, error);
  }
}
