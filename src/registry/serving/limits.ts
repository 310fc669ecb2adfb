import { MAX_MANIFEST_BYTES } from '../../oci/manifest.ts';

/** Bounds that keep one client from taking the registry away from the others. */
export interface Limits {
  readonly manifestBytes: number;
  /** Request line and headers together. */
  readonly headerBytes: number;
  /** Request bodies being received at once, per process. */
  readonly concurrentUploads: number;
  /** A body, or a client reading an answer, may stand still for so long. */
  readonly idleMs: number;
  /** An upload session nobody continues is dropped after so long. */
  readonly uploadExpiryMs: number;
  /** Writes are refused when less than this is free on the disk. */
  readonly minFreeBytes: number;
  /** Small content kept in memory, per process. */
  readonly cacheBytes: number;
  /** Tags in one request. */
  readonly tagsPerManifest: number;
  readonly referrersPerPage: number;
}

export const DEFAULT_LIMITS: Limits = {
  manifestBytes: MAX_MANIFEST_BYTES,
  headerBytes: 32 * 1024,
  concurrentUploads: 64,
  idleMs: 60_000,
  uploadExpiryMs: 24 * 3_600_000,
  minFreeBytes: 512 * 1024 * 1024,
  cacheBytes: 16 * 1024 * 1024,
  tagsPerManifest: 64,
  referrersPerPage: 500,
};
