import type { ErrorCode } from '../../core/error-codes.ts';
import type { RetryPolicy } from '../../core/retry.ts';
import type { Source, Target } from '../../oci/content.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import type { Limiter } from '../../remote/client/limiter.ts';

/**
 * What of an index is copied. `whole`: all of it. `sparse`: the index with its bytes and digest as
 * they are, but only the chosen platforms below it. `single`: the one image of the chosen platform.
 */
export type CopyShape = 'whole' | 'sparse' | 'single';

/** One image to copy. Jobs may share sources and targets; what they share is moved once. */
export interface ImageJob {
  readonly source: Source;
  readonly target: Target;
  /** Tag or digest at the source. A digest saves asking the source for what the target has. */
  readonly reference: string;
  /** Tags at the target; with none it is found there by digest only. */
  readonly tags: readonly string[];
  /** How the image is called in events and in the report. */
  readonly from: string;
  readonly to: string;
  /** `host/repository` of the source. Jobs with the same one share what is asked about it. */
  readonly sourceRepository?: string | undefined;
  readonly shape?: CopyShape | undefined;
  /** For `sparse` and `single`. */
  readonly platforms?: readonly Platform[] | undefined;
  /** Whether its signatures and other attachments come along; by default what the run says. */
  readonly signatures?: boolean | undefined;
  /** Why it is copied; handed through to the report. */
  readonly reason?: string | undefined;
}

export interface CopyOptions {
  readonly images: readonly ImageJob[];
  /** Bring `.sig`, `.att`, `.sbom` tags and referrers along. Default true. */
  readonly signatures?: boolean | undefined;
  /** Also those of the images inside an index. Default true. */
  readonly childSignatures?: boolean | undefined;
  /** Blobs under way at once; by default 12, or 16 where a registry is slow to answer. */
  readonly concurrency?: number | undefined;
  /** What differs from the default policy: rounds for whole images, attempts and sources for blobs. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** How much a registry bears at the moment; `registries.limiter`. */
  readonly limiter?: ((registry: string) => Limiter) | undefined;
  /** Told of every blob that is at its target, before the image is. */
  readonly delivered?: ((blob: Descriptor) => Promise<void>) | undefined;
  /** Told of the bytes that may have to move, before any does: it may refuse. */
  readonly planned?: ((bytes: number) => Promise<void>) | undefined;
  /** Title of the task in events. */
  readonly title?: string | undefined;
}

export type Outcome = 'copied' | 'skipped' | 'failed';

export interface ImageFailure {
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What became of one image. */
export interface ImageResult {
  readonly from: string;
  readonly to: string;
  readonly outcome: Outcome;
  readonly digest?: Digest | undefined;
  /** What the image is, whole, once it was found. */
  readonly root?: Descriptor | undefined;
  /** All distinct bytes of the image; absent when it was there and its manifest was not read. */
  readonly sizeBytes?: number | undefined;
  /** Bytes that were moved for it. Shared ones count for the image that came first. */
  readonly copiedBytes: number;
  /** Signatures, attestations and other artifacts that belong to it. */
  readonly attachments: number;
  readonly attempts: number;
  readonly error?: ImageFailure | undefined;
  readonly reason?: string | undefined;
}

/** Blobs and bytes, by how they came to be at the target. */
export interface BlobTotals {
  readonly copied: number;
  readonly mounted: number;
  readonly reused: number;
  readonly copiedBytes: number;
  readonly mountedBytes: number;
  readonly reusedBytes: number;
}

export interface CopyReport {
  /** In the order of the jobs. */
  readonly images: readonly ImageResult[];
  readonly copied: number;
  readonly skipped: number;
  readonly failed: number;
  readonly blobs: BlobTotals;
  readonly durationMs: number;
}
