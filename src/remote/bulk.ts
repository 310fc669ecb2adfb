import type { ChunkSink } from '../core/chunk-sink.ts';
import type { Context } from '../core/context.ts';
import type { Source } from '../oci/content.ts';
import type { Descriptor } from '../oci/descriptor.ts';

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

/** A source that gives blobs without a copy and without an iterator per chunk. */
export interface BulkSource {
  /** Asks for the blob and resolves once the answer has begun. */
  openBlob(ctx: Context, blob: Descriptor, offset?: number): Promise<BlobDownload>;
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

/** A target that takes blobs straight from a source: hashed on the way, whole or not at all. */
export interface BulkTarget {
  /**
   * Makes the blob be here. Opens the source only when bytes are needed, holds the last chunk back
   * until the digest is right, and continues from the target's own offset after a failure.
   */
  putBlobFrom(
    ctx: Context,
    blob: Descriptor,
    from: BulkSource,
    options?: TransferOptions,
  ): Promise<Transfer>;
}

export function isBulkSource(source: object): source is BulkSource {
  return 'openBlob' in source;
}

export function isBulkTarget(target: object): target is BulkTarget {
  return 'putBlobFrom' in target;
}

/** Lets any source feed a bulk target, through its iterable. */
export function bulkSourceOf(source: Pick<Source, 'blob'>): BulkSource {
  return isBulkSource(source)
    ? source
    : {
        openBlob: async (ctx, blob, offset) =>
          fromIterable(source.blob(ctx, blob, offset), blob.size - (offset ?? 0)),
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
