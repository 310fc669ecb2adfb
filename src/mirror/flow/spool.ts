import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChunkSink } from '../../core/chunk-sink.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { BlobDownload, BulkSource } from '../../oci/bulk.ts';
import { bulkSourceOf } from '../../oci/bulk.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { KeptBlob } from './kept-blob.ts';

/** Downloading a smaller blob again is quicker than looking for it. */
const SMALLEST_BYTES = 64 * 1024;

/**
 * Keeps what was downloaded of a blob until the mirror has all of it. A run that was killed then does
 * not download it again, whatever the mirror remembers of its half of the upload.
 */
export class Spool {
  readonly #folder: string;
  /** Blobs that were read to their end: if one is read again, its content was refused. */
  readonly #ended = new Set<Digest>();
  /** Blobs whose file is open: a second reader at the same time goes to the source. */
  readonly #open = new Set<Digest>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The same source, with this spool before it. */
  before(source: Source): Source & { readonly can: BulkSource } {
    const from = bulkSourceOf(source);
    const openBlob: BulkSource['openBlob'] = (ctx, blob, offset = 0) =>
      blob.size < SMALLEST_BYTES
        ? from.openBlob(ctx, blob, offset)
        : this.#download(blob, offset, from);
    return {
      resolve: (ctx, tagOrDigest) => source.resolve(ctx, tagOrDigest),
      manifest: (ctx, descriptor) => source.manifest(ctx, descriptor),
      blob: (ctx, descriptor, offset) => source.blob(ctx, descriptor, offset),
      location: source.location,
      can: { ...source.can, openBlob },
    };
  }

  /** The mirror has this blob: nothing of it needs to be kept any more. */
  async delivered({ digest, size }: Pick<Descriptor, 'digest' | 'size'>): Promise<void> {
    if (size >= SMALLEST_BYTES) await this.#drop(digest);
  }

  async clear(): Promise<void> {
    if (existsSync(this.#folder)) await rm(this.#folder, { recursive: true, force: true });
  }

  async #drop(digest: Digest): Promise<void> {
    this.#ended.delete(digest);
    await rm(this.#path(digest), { force: true }).catch(() => undefined);
  }

  #path(digest: Digest): string {
    return join(this.#folder, digest.replace(':', '-'));
  }

  async #download(blob: Descriptor, offset: number, from: BulkSource): Promise<BlobDownload> {
    if (offset === 0 && this.#ended.has(blob.digest)) await this.#drop(blob.digest);
    let rest: BlobDownload | undefined;
    return {
      size: blob.size - offset,
      pump: (ctx, sink, window) =>
        this.#keeping(blob, async (kept) => {
          const position = kept ? await pumpKept(ctx, kept, offset, sink) : offset;
          if (position >= blob.size) return;
          rest = await from.openBlob(ctx, blob, position);
          await rest.pump(ctx, kept?.end === position ? appendingTo(kept, sink) : sink, window);
        }),
      cancel: () => rest?.cancel(),
    };
  }

  /** Content that is refused is not kept: the next attempt gets all of it from the source. */
  async #keeping(
    { digest, size }: Descriptor,
    work: (kept: KeptBlob | undefined) => Promise<void>,
  ): Promise<void> {
    if (this.#open.has(digest)) return await work(undefined);
    this.#open.add(digest);
    const kept = await KeptBlob.open(this.#path(digest), size);
    try {
      await work(kept);
      this.#ended.add(digest);
    } catch (error) {
      if (error instanceof AtollError && error.code === 'CONTENT_MISMATCH')
        await this.#drop(digest);
      throw error;
    } finally {
      await kept?.close();
      this.#open.delete(digest);
    }
  }
}

/** Gives the sink what is kept from `offset` on; returns where the source has to go on. */
async function pumpKept(
  ctx: Context,
  kept: KeptBlob,
  offset: number,
  sink: ChunkSink,
): Promise<number> {
  let position = offset;
  for await (const chunk of kept.read(offset)) {
    ctx.signal.throwIfAborted();
    await sink(chunk);
    position += chunk.length;
  }
  return position;
}

/** The memory of a chunk is reused once this settles, so both must have ended, even if one failed. */
function appendingTo(kept: KeptBlob, sink: ChunkSink): ChunkSink {
  return async (chunk) => {
    const appended = kept.append(chunk);
    try {
      await sink(chunk);
    } finally {
      await appended;
    }
  };
}
