import type { Context } from '../core/context.ts';
import type { Descriptor } from './descriptor.ts';
import type { Digest } from './digest.ts';
import type { RawManifest } from './manifest.ts';

/** Somewhere content can be read: one repository of a registry, a layout on disk, a bundle. */
export interface Source {
  /** What a tag or digest names here, or undefined when there is no such thing. */
  resolve(ctx: Context, tagOrDigest: string): Promise<Descriptor | undefined>;
  /** The manifest's bytes, already compared with the descriptor. */
  manifest(ctx: Context, descriptor: Descriptor): Promise<RawManifest>;
  /** The blob's bytes from `offset` on. Not verified: whoever consumes them does that once. */
  blob(ctx: Context, descriptor: Descriptor, offset?: number): AsyncIterable<Uint8Array>;
}

/** A source that finds a manifest and reads it with one question. */
export interface FindingSource {
  /** The manifest a tag or digest names here, or undefined when there is no such thing. */
  find(ctx: Context, tagOrDigest: string): Promise<RawManifest | undefined>;
}

/** Somewhere content can be put. Children go before the manifest that names them. */
export interface Target {
  /** For a manifest: whether it is here, which promises its whole tree unless it is sparse. */
  has(ctx: Context, descriptor: Descriptor): Promise<boolean>;
  /** Stores exactly the described bytes or throws `CONTENT_MISMATCH`; never anything else. */
  putBlob(ctx: Context, blob: Descriptor, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  putManifest(ctx: Context, manifest: RawManifest, tag?: string): Promise<void>;
}

/** A target that can take a blob from a neighbour repository without moving its bytes. */
export interface MountTarget {
  /** True when the blob is now here; false when it has to be sent. */
  mount(ctx: Context, blob: Descriptor, fromRepository: string): Promise<boolean>;
}

/** A target that keeps the beginning of a blob whose transfer was cut, also across restarts. */
export interface ResumableTarget {
  /** How many bytes of this blob are kept; 0 when none, all of it when only the end was cut. */
  partial(ctx: Context, blob: Descriptor): Promise<number>;
  /**
   * Takes the bytes from `offset` on, which must be what `partial` said. What came before a cut
   * is kept. `LOCKED` when somebody else is receiving the same blob: use `putBlob` then.
   */
  putRest(
    ctx: Context,
    blob: Descriptor,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void>;
}

/** A target that wants to know which blobs are coming before the first byte does. */
export interface PreparedTarget {
  prepare(ctx: Context, blobs: readonly Descriptor[]): Promise<void>;
}

/** A target that has to be told which manifest is the image itself, once all of it is there. */
export interface RootTarget {
  setRoot(ctx: Context, root: Descriptor, name?: string): Promise<void>;
}

/** All tags of a repository, as soon as somebody knows them; undefined when nobody does. */
export type KnownTags = Promise<ReadonlySet<string> | undefined>;

/** A source that knows which artifacts (signatures, SBOMs) refer to a manifest. */
export interface ReferrersSource {
  /** `tags`, all there are if the caller can tell, save asking for a list that is kept as one. */
  referrers(ctx: Context, subject: Digest, tags?: KnownTags): Promise<readonly Descriptor[]>;
}

/** A source that can list its tags, in order. */
export interface TagSource {
  tags(ctx: Context): AsyncIterable<string>;
}
