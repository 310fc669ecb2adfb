import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChunkSink } from '../../core/chunk-sink.ts';
import type { Context } from '../../core/context.ts';
import type { AtollEvent } from '../../core/events.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import type { BlobDownload, BulkSource } from '../../remote/bulk.ts';
import { bulkSourceOf } from '../../remote/bulk.ts';

/** Below this a blob comes again quicker than it is looked for. */
const SMALLEST_BYTES = 64 * 1024;

/**
 * Keeps what has come of a blob until the mirror has all of it. A run that was killed then does not
 * ask upstream again for what it had, whatever the mirror remembers of its half of the upload.
 */
export class Spool {
  readonly #folder: string;
  /** Blobs that were read to their end: if somebody reads one again, it was wrong. */
  readonly #ended = new Set<Digest>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The same source, with this spool before it. */
  before<S extends Source>(source: S): S & BulkSource {
    const from = bulkSourceOf(source);
    const openBlob: BulkSource['openBlob'] = (ctx, blob, offset = 0) =>
      blob.size < SMALLEST_BYTES
        ? from.openBlob(ctx, blob, offset)
        : this.#open(ctx, blob, offset, from);
    return new Proxy(source as S & BulkSource, {
      has: (target, name) => name === 'openBlob' || name in target,
      get(target, name) {
        if (name === 'openBlob') return openBlob;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  /** Forgets blobs as the mirror tells that it has them. */
  watching(ctx: Context): Context {
    const emit = (event: AtollEvent) => {
      if (event.type === 'blob.copied') this.#forget(event.digest);
      ctx.emit(event);
    };
    return { ...ctx, emit };
  }

  async clear(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #path(digest: string): string {
    return join(this.#folder, digest.replace(':', '-'));
  }

  #forget(digest: string): void {
    rm(this.#path(digest), { force: true }).catch(() => undefined);
  }

  async #open(
    ctx: Context,
    blob: Descriptor,
    offset: number,
    from: BulkSource,
  ): Promise<BlobDownload> {
    const path = this.#path(blob.digest);
    if (offset === 0 && this.#ended.delete(blob.digest)) await rm(path, { force: true });
    const keptBytes = Math.min(await sizeOf(path), blob.size);
    // Bytes between what is kept and where the reader starts are not ours to invent.
    if (keptBytes < offset) return await from.openBlob(ctx, blob, offset);
    const ended = () => this.#ended.add(blob.digest);
    return new SpooledDownload({
      folder: this.#folder,
      path,
      blob,
      offset,
      keptBytes,
      from,
      ended,
    });
  }
}

interface Spooled {
  readonly folder: string;
  readonly path: string;
  readonly blob: Descriptor;
  readonly offset: number;
  readonly keptBytes: number;
  readonly from: BulkSource;
  readonly ended: () => void;
}

/** First what is kept, then the rest from upstream, which is kept as it passes. */
class SpooledDownload implements BlobDownload {
  readonly size: number;
  readonly #spooled: Spooled;
  #rest: BlobDownload | undefined;

  constructor(spooled: Spooled) {
    this.#spooled = spooled;
    this.size = spooled.blob.size - spooled.offset;
  }

  async pump(ctx: Context, sink: ChunkSink, window?: number): Promise<void> {
    const { path, blob, offset, keptBytes, from, ended } = this.#spooled;
    if (keptBytes > offset) await pumpFile(ctx, path, offset, keptBytes, sink);
    if (keptBytes < blob.size) {
      this.#rest = await from.openBlob(ctx, blob, keptBytes);
      await this.#pumpRest(ctx, this.#rest, sink, window);
    }
    ended();
  }

  cancel(): void {
    this.#rest?.cancel();
  }

  async #pumpRest(
    ctx: Context,
    rest: BlobDownload,
    sink: ChunkSink,
    window?: number,
  ): Promise<void> {
    const { folder, path, keptBytes } = this.#spooled;
    const keeper = await Keeper.open(folder, path, keptBytes);
    try {
      await rest.pump(
        ctx,
        async (chunk) => {
          await Promise.all([keeper.keep(chunk), sink(chunk)]);
        },
        window,
      );
    } finally {
      await keeper.close();
    }
  }
}

/** Appends in order, so that the file is always a beginning of the blob. Trouble only ends the keeping. */
class Keeper {
  readonly #file: FileHandle | undefined;
  #position: number;
  #last: Promise<void> = Promise.resolve();
  #broken: boolean;

  private constructor(file: FileHandle | undefined, position: number) {
    this.#file = file;
    this.#position = position;
    this.#broken = file === undefined;
  }

  static async open(folder: string, path: string, keptBytes: number): Promise<Keeper> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(path, keptBytes === 0 ? 'w' : 'r+');
      return new Keeper(file, keptBytes);
    } catch {
      return new Keeper(undefined, keptBytes);
    }
  }

  keep(chunk: Uint8Array): Promise<void> {
    this.#last = this.#last.then(() => this.#append(chunk));
    return this.#last;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#file?.close();
  }

  async #append(chunk: Uint8Array): Promise<void> {
    if (this.#broken || !this.#file) return;
    try {
      const { bytesWritten } = await this.#file.write(chunk, 0, chunk.length, this.#position);
      this.#position += bytesWritten;
      this.#broken = bytesWritten < chunk.length;
    } catch {
      this.#broken = true;
    }
  }
}

async function pumpFile(
  ctx: Context,
  path: string,
  start: number,
  end: number,
  sink: ChunkSink,
): Promise<void> {
  const options = { start, end: end - 1, highWaterMark: 1024 * 1024, signal: ctx.signal };
  for await (const chunk of createReadStream(path, options)) await sink(chunk as Buffer);
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
