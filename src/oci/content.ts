import type { Context } from '../core/context.ts';
import type { BulkSource, Transfer, TransferOptions } from './bulk.ts';
import type { Descriptor } from './descriptor.ts';
import type { Digest } from './digest.ts';
import type { RawManifest } from './manifest.ts';

/** Somewhere content can be read: one repository of a registry, a layout on disk, a bundle. */
export interface Source {
  /** What a tag or digest names here, or undefined when there is no such thing. */
  resolve(ctx: Context, tagOrDigest: string): Promise<Descriptor | undefined>;
  /** The manifest's bytes, already compared with the descriptor. */
  manifest(ctx: Context, descriptor: Descriptor): Promise<RawManifest>;
  /** The blob's bytes from `offset` on. Not verified: the consumer does that once. */
  blob(ctx: Context, descriptor: Descriptor, offset?: number): AsyncIterable<Uint8Array>;
  /** What else it can do. */
  readonly can: SourceAbilities;
  /** Which repository it is, where it is one of a registry. */
  readonly location?: RepositoryLocation | undefined;
}

/** Somewhere content can be put. Children go before the manifest that names them. */
export interface Target {
  /** For a manifest: whether it is here, which promises its whole tree unless it is sparse. */
  has(ctx: Context, descriptor: Descriptor): Promise<boolean>;
  /** Stores exactly the described bytes or throws `CONTENT_MISMATCH`; never anything else. */
  putBlob(ctx: Context, blob: Descriptor, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  putManifest(ctx: Context, manifest: RawManifest, tag?: string): Promise<void>;
  /** What else it can do. */
  readonly can: TargetAbilities;
  /** Which repository it is, where it is one of a registry. */
  readonly location?: RepositoryLocation | undefined;
}

export interface RepositoryLocation {
  readonly registry: string;
  readonly repository: string;
}

/** All tags of a repository, as soon as they are known; undefined when they cannot be. */
export type KnownTags = Promise<ReadonlySet<string> | undefined>;

/**
 * What only some sources can do: plain functions that need no `this`, so that a wrapper adds its own
 * with `{ ...source.can, openBlob }`. What is absent cannot be done.
 */
export interface SourceAbilities extends Partial<BulkSource> {
  /** The manifest a tag or digest names here, in one request; undefined when there is none. */
  readonly find?: (ctx: Context, tagOrDigest: string) => Promise<RawManifest | undefined>;
  /**
   * The artifacts (signatures, SBOMs) that refer to a manifest. `tags`, all there are if the caller
   * knows them, save asking for a list that is kept as one.
   */
  readonly referrers?: (
    ctx: Context,
    subject: Digest,
    tags?: KnownTags,
  ) => Promise<readonly Descriptor[]>;
  /** All tags, in order. */
  readonly tags?: (ctx: Context) => AsyncIterable<string>;
}

/** What a tag names, and how long the registry took to say so. */
export interface EarlyAnswer {
  readonly found: Descriptor | undefined;
  readonly tookMs: number;
}

/** What only some targets can do; as with sources, plain functions. */
export interface TargetAbilities {
  /** The target as a source: a repository, a layout. */
  readonly read?: Source;
  /** What a tag named when it was asked for ahead of time; undefined where it was not, or no more. */
  readonly asked?: (tag: string) => Promise<EarlyAnswer> | undefined;
  /** Takes a blob from another repository of the registry; false when it has to be sent. */
  readonly mount?: (ctx: Context, blob: Descriptor, fromRepository: string) => Promise<boolean>;
  /**
   * Makes the blob be here, straight from a source: hashed on the way, whole or not at all. Opens the
   * source only when bytes are needed, holds the last chunk back until the digest is right, and
   * continues from the target's own offset after a failure.
   */
  readonly putBlobFrom?: (
    ctx: Context,
    blob: Descriptor,
    from: BulkSource,
    options?: TransferOptions,
  ) => Promise<Transfer>;
  readonly resume?: BlobResumption;
  /** Is told which blobs are coming before the first byte does. */
  readonly prepare?: (ctx: Context, blobs: readonly Descriptor[]) => Promise<void>;
  /** Is told which manifest is the image itself, once all of it is there. */
  readonly setRoot?: (ctx: Context, root: Descriptor, name?: string) => Promise<void>;
}

/** Keeps the beginning of a blob whose transfer was cut, also across restarts. */
export interface BlobResumption {
  /** How many bytes of this blob are kept; 0 when none, all of it when only the end was cut. */
  partial(ctx: Context, blob: Descriptor): Promise<number>;
  /**
   * Takes the bytes from `offset` on, which must be what `partial` said. What came before a cut
   * is kept. `LOCKED` when another process receives the same blob: use `putBlob` then.
   */
  putRest(
    ctx: Context,
    blob: Descriptor,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void>;
}

/** The abilities of an object that has all of a source's as methods. */
export function sourceAbilities(source: Required<SourceAbilities>): Required<SourceAbilities> {
  return {
    find: (ctx, tagOrDigest) => source.find(ctx, tagOrDigest),
    openBlob: (ctx, blob, offset) => source.openBlob(ctx, blob, offset),
    referrers: (ctx, subject, tags) => source.referrers(ctx, subject, tags),
    tags: (ctx) => source.tags(ctx),
  };
}
