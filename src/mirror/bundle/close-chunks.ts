import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { unwritable } from '../../core/files.ts';
import { counted } from '../../core/format.ts';
import { Progress } from '../../core/progress.ts';
import { type BundleBlob, type BundleIndex, chunkFile } from './bundle-index.ts';
import { hashFile, sizeOfFile } from './chunk-files.ts';

/** Gives the chunk files their final sizes and hashes them. Chunks that were full before stay. */
export async function closeChunks(
  ctx: Context,
  folder: string,
  chunkBytes: number,
  blobs: readonly BundleBlob[],
  previous: Pick<BundleIndex, 'chunks'> | undefined,
): Promise<BundleIndex['chunks']> {
  const end = blobs.reduce((most, blob) => Math.max(most, blob.offset + blob.size), 0);
  const count = Math.ceil(end / chunkBytes);
  const task = { id: 'bundle', title: 'Hash the chunks', totalBytes: end };
  const progress = new Progress(ctx, task);
  const chunks: BundleIndex['chunks'] = [];
  for (let number = 0; number < count; number += 1) {
    const size = Math.min(chunkBytes, end - number * chunkBytes);
    const earlier = previous?.chunks[number];
    const isKept = earlier?.size === chunkBytes;
    const chunk = { file: chunkFile(number + 1), size, earlier };
    chunks.push(isKept ? earlier : await told(folder, closeChunk(ctx, folder, chunk)));
    progress.addBytes(size);
  }
  progress.finish(counted(count, 'chunk'));
  return chunks;
}

/** A disk that fails here is named, as everywhere else. */
async function told<T>(folder: string, closing: Promise<T>): Promise<T> {
  try {
    return await closing;
  } catch (error) {
    throw unwritable(folder, error);
  }
}

interface ClosingChunk {
  readonly file: string;
  readonly size: number;
  /** What it was before the bundle grew. */
  readonly earlier: BundleIndex['chunks'][number] | undefined;
}

async function closeChunk(
  ctx: Context,
  folder: string,
  { file, size, earlier }: ClosingChunk,
): Promise<BundleIndex['chunks'][number]> {
  const path = join(folder, file);
  const handle = await open(path, 'r+');
  try {
    // A chunk whose end was never written is shorter than its place: fill it up.
    if ((await sizeOfFile(path)) !== size) await handle.truncate(size);
    await handle.sync().catch(async (error) => {
      // The next sync would succeed without the bytes: what is in this chunk has to come again.
      if (!earlier) await rm(path, { force: true });
      throw error;
    });
  } finally {
    await handle.close();
  }
  if (earlier && (await hashFile(ctx, path, earlier.size)) !== earlier.sha256) {
    throw new AtollError('BUNDLE_DAMAGED', `Cannot add to "${path}": found different bytes`, {
      hint: 'Save to another folder; what was saved here is not what it was',
    });
  }
  return { file, size, sha256: await hashFile(ctx, path) };
}
