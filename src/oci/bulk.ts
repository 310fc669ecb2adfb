import type { ChunkSink } from '../core/chunk-sink.ts';
import type { Context } from '../core/context.ts';
import type { Descriptor } from './descriptor.ts';

/** One blob on its way in. Either pump it to the end or cancel it. */
export interface BlobDownload {
  /** Bytes that are still to come: the blob's size less the offset it was opened at. */
  readonly size: number;
  /**
   * Feeds every byte to the sink, in order, and resolves after the last was taken. A cut connection
   * is continued where it broke. Not verified: whoever consumes the bytes does that once.
   *
   * `window` is how many calls of the sink may be unsettled at the same time. With 1, the default,
   * the next call comes after the last one has settled; more lets writes overlap, still in order.
   */
  pump(ctx: Context, sink: ChunkSink, window?: number): Promise<void>;
  /** Gives it up and frees the connection. Harmless after the end. */
  cancel(): void;
}

/** What an upload reads from: blobs without a copy and without an iterator per chunk. */
export interface BulkSource {
  /** Asks for the blob and resolves once the answer has begun. */
  readonly openBlob: (ctx: Context, blob: Descriptor, offset?: number) => Promise<BlobDownload>;
}

/** Remembers where an upload stands, for the next process should this one die. */
export interface UploadMemory {
  /** URL of an upload that an earlier process began. */
  readonly location: string | undefined;
  /** The registry named a URL; undefined when the upload is over. */
  remember(location: string | undefined): void;
}

export interface TransferOptions {
  /** A repository of the same registry that has this blob: mounted from there where possible. */
  readonly mountFrom?: string | undefined;
  /** The caller knows that the target lacks the blob, so nobody asks. */
  readonly absent?: boolean | undefined;
  /** Bytes on their way to the target since the last call; negative when some have to go again. */
  readonly onProgress?: ((bytes: number) => void) | undefined;
  /** Goes on with an upload of an earlier process. What was sent is hashed again from the source. */
  readonly memory?: UploadMemory | undefined;
}

/** How a blob came to be at the target. */
export type Transfer = 'copied' | 'mounted' | 'reused';

interface BlobReader {
  blob(ctx: Context, blob: Descriptor, offset?: number): AsyncIterable<Uint8Array>;
  readonly can?: Partial<BulkSource>;
}

/** Lets any source feed an upload: as it can, or through its iterable. */
export function bulkSourceOf(source: BlobReader): BulkSource {
  const { openBlob } = source.can ?? {};
  if (openBlob) return { openBlob };
  return {
    openBlob: async (ctx, blob, offset = 0) =>
      fromIterable(source.blob(ctx, blob, offset), blob.size - offset),
  };
}

function fromIterable(chunks: AsyncIterable<Uint8Array>, size: number): BlobDownload {
  return {
    size,
    async pump(ctx, sink) {
      for await (const chunk of chunks) {
        ctx.signal.throwIfAborted();
        await sink(chunk);
      }
    },
    cancel: () => undefined,
  };
}
