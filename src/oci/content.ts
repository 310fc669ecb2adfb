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

/** A source that knows which artifacts (signatures, SBOMs) refer to a manifest. */
export interface ReferrersSource {
  referrers(ctx: Context, subject: Digest): Promise<readonly Descriptor[]>;
}

/** A source that can list its tags, in order. */
export interface TagSource {
  tags(ctx: Context): AsyncIterable<string>;
}
