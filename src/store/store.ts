import type { Context } from '../core/context.ts';
import type { Descriptor } from '../oci/descriptor.ts';
import type { Digest } from '../oci/digest.ts';

export interface StoredBlob {
  readonly digest: Digest;
  readonly size: number;
}

/** Bytes `start` to `end`, both included, as in HTTP. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Content by digest, small records by key. A directory or an S3 bucket implements it, and one
 * test suite holds both. Manifests are blobs here like any other.
 */
export interface Store {
  readonly blobs: Blobs;
  readonly uploads: Uploads;
  readonly records: Records;
}

/** With less grace than this, nobody may write while garbage is collected. */
export const SHORTEST_GRACE_MS = 60_000;

/** The upload id of a download that shall continue where it stopped: one per digest. */
export function uploadIdOf(digest: Digest): string {
  return digest.replace(':', '-');
}

export interface Blobs {
  stat(ctx: Context, digest: Digest): Promise<StoredBlob | undefined>;
  /** The bytes; throws `CONTENT_MISSING` when there are none. Not re-hashed: they were when written. */
  read(ctx: Context, digest: Digest, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** Whole and verified, or absent. Writing what is already there is cheap and harmless. */
  write(ctx: Context, expected: Descriptor, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * False when there is no such blob. With `untouchedSince` also when somebody has written or
   * touched it since then: then it stays.
   */
  remove(ctx: Context, digest: Digest, untouchedSince?: Date): Promise<boolean>;
  /**
   * Renews `modifiedAt`, which keeps garbage collection away for a while; false when there is no
   * such blob. May leave a time as it is that is young for every collection of garbage.
   */
  touch(ctx: Context, digest: Digest): Promise<boolean>;
  list(ctx: Context): AsyncIterable<StoredBlob & { readonly modifiedAt: Date }>;
}

/**
 * Uploads in parts, which survive a restart. One writer at a time per upload: a second one gets
 * `LOCKED`. Chunks belong to the store once handed over; do not reuse their memory.
 */
export interface Uploads {
  /**
   * Starts an upload and returns its id. A caller that wants to find it again after a restart
   * chooses the id (see {@link uploadIdOf}); beginning one that exists continues it.
   */
  begin(ctx: Context, id?: string): Promise<string>;
  /** Bytes received so far; undefined when there is no such upload. */
  offset(ctx: Context, id: string): Promise<number | undefined>;
  /** Appends and returns the new offset. What was received before a cut stays. */
  append(ctx: Context, id: string, chunks: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Verifies the whole and turns it into a blob; on `CONTENT_MISMATCH` the upload is gone.
   * Committing again what became a blob already is harmless.
   */
  commit(ctx: Context, id: string, digest: Digest): Promise<StoredBlob>;
  cancel(ctx: Context, id: string): Promise<boolean>;
  list(ctx: Context): AsyncIterable<{ readonly id: string; readonly idleSince: Date }>;
}

/**
 * Small JSON documents by key (tags, links, referrers). A key is parts joined by `/`; each part is
 * any text without `/`. Every write is atomic and durable before it returns.
 */
export interface Records {
  get(ctx: Context, key: string): Promise<unknown>;
  put(ctx: Context, key: string, value: unknown): Promise<void>;
  remove(ctx: Context, key: string): Promise<boolean>;
  /** Keys that start with `prefix` (which ends in `/` or is empty), in byte order, after `after`. */
  list(ctx: Context, prefix: string, after?: string): AsyncIterable<string>;
}

/** Records that can say at once, without waiting, whether one has changed since it was read. */
export interface StampedRecords extends Records {
  /** Differs after every write of the record by anybody; undefined when there is no record. */
  stamp(key: string): string | undefined;
}

/** A store whose blobs are plain files, so that a server can hand them to the kernel. */
export interface FileBacked {
  readonly root: string;
  blobPath(digest: Digest): string;
}

export interface Swept {
  readonly files: number;
  readonly bytes: number;
}

/** A store in which interrupted writes may leave rubbish that no list shows. */
export interface Sweeping {
  /** Removes what no one has written to since `before`. */
  sweep(ctx: Context, before: Date): Promise<Swept>;
}

/** A store that can let a client fetch a blob by itself for a short time. */
export interface Presigning {
  presign(ctx: Context, digest: Digest, seconds: number): Promise<string>;
}
