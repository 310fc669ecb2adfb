import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
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
    chunks.push(isKept ? earlier : await closeChunk(ctx, folder, chunkFile(number + 1), size));
    progress.addBytes(size);
  }
  progress.finish(counted(count, 'chunk'));
  return chunks;
}

async function closeChunk(
  ctx: Context,
  folder: string,
  file: string,
  size: number,
): Promise<BundleIndex['chunks'][number]> {
  const path = join(folder, file);
  const handle = await open(path, 'r+');
  try {
    // A chunk whose end was never written is shorter than its place: fill it up.
    if ((await sizeOfFile(path)) !== size) await handle.truncate(size);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { file, size, sha256: await hashFile(ctx, path) };
}
