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
  /** A connection on which TLS is not done after so long ends. */
  readonly handshakeMs: number;
  /** An upload session nobody continues is dropped after so long. */
  readonly uploadExpiryMs: number;
  /** Writes are refused when less than this is free on the disk. */
  readonly minFreeBytes: number;
  /** Small content kept in memory, per process. */
  readonly cacheBytes: number;
  /** Tags in one request. */
  readonly tagsPerManifest: number;
  readonly referrersPerPage: number;
  /** One page of referrers, unless a single one is larger. */
  readonly referrersPageBytes: number;
  /** Names on a page of tags or repositories where the client does not say how many it wants. */
  readonly namesPerPage: number;
  /** The most it may ask for. */
  readonly maxNamesPerPage: number;
}

export const DEFAULT_LIMITS: Limits = {
  manifestBytes: MAX_MANIFEST_BYTES,
  headerBytes: 32 * 1024,
  concurrentUploads: 64,
  idleMs: 60_000,
  handshakeMs: 20_000,
  uploadExpiryMs: 24 * 3_600_000,
  minFreeBytes: 512 * 1024 * 1024,
  cacheBytes: 16 * 1024 * 1024,
  tagsPerManifest: 64,
  referrersPerPage: 500,
  // Clients read a list as they do a manifest, and take no larger one.
  referrersPageBytes: MAX_MANIFEST_BYTES,
  namesPerPage: 1000,
  maxNamesPerPage: 10_000,
};
