import type { ErrorCode } from '../core/error-codes.ts';
import type { Source } from '../oci/content.ts';
import type { Platform } from '../oci/descriptor.ts';
import type { Digest } from '../oci/digest.ts';
import type { Reference } from '../oci/reference.ts';

/** What an image is for; it decides where the mirror keeps it and which resources name it. */
export const CONTENT_KINDS = [
  'release',
  'component',
  'kubevirt',
  'graph',
  'catalog',
  'bundle',
  'related',
  'additional',
  'helm',
  'file',
] as const;

export type ContentKind = (typeof CONTENT_KINDS)[number];

/** The release an image belongs to. */
export interface ReleaseName {
  readonly version: string;
  /** Tag of the release image on the mirror, such as `4.18.1-x86_64`. */
  readonly tag: string;
}

/** One image that has to be on the mirror, and why. */
export interface ContentImage {
  readonly kind: ContentKind;
  /** Where upstream names it. For built images: the name it is derived from. */
  readonly source: Reference;
  /** What `source` was found to be; copying pulls exactly this. Undefined until it is resolved. */
  readonly digest?: Digest | undefined;
  /** Only these platforms of an index, its digest untouched; undefined means all. */
  readonly platforms?: readonly Platform[] | undefined;
  /** One sentence for the report: what asked for this image. */
  readonly reason: string;
  /** Where the bytes are when `source` does not have them: built images and `oci:` layouts. */
  readonly from?: Source | undefined;
  /** Repository path on the target that replaces the path of `source`. */
  readonly targetRepository?: string | undefined;
  readonly targetTag?: string | undefined;
  readonly release?: ReleaseName | undefined;
  /** Name of the component in the payload. */
  readonly component?: string | undefined;
  /** Operator packages and bundles that need the image, sorted. */
  readonly packages?: readonly string[] | undefined;
  readonly bundles?: readonly string[] | undefined;
  /** The catalog, as the configuration writes it. */
  readonly catalog?: string | undefined;
  readonly chart?: string | undefined;
  /** Whether a Sigstore signature must be there: required stops, wanted warns, none is not looked for. */
  readonly sigstore?: 'required' | 'wanted' | 'none' | undefined;
}

/** A GPG signature of a release, as the signature store keeps it and the cluster wants it. */
export interface ReleaseSignature {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
  readonly release: ReleaseName;
}

/** Something that could not be collected; the rest was. */
export interface CollectFailure {
  /** What was asked for, in the words of the configuration. */
  readonly subject: string;
  readonly code?: ErrorCode | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface CollectWarning {
  readonly subject: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What a collector found. Failures never stop the rest; the caller decides what they cost. */
export interface Collection {
  readonly images: readonly ContentImage[];
  readonly signatures: readonly ReleaseSignature[];
  readonly warnings: readonly CollectWarning[];
  readonly failures: readonly CollectFailure[];
}

export const EMPTY_COLLECTION: Collection = {
  images: [],
  signatures: [],
  warnings: [],
  failures: [],
};

/** Several collections as one, in order. */
export function mergeCollections(parts: readonly Collection[]): Collection {
  return {
    images: parts.flatMap((part) => part.images),
    signatures: parts.flatMap((part) => part.signatures),
    warnings: parts.flatMap((part) => part.warnings),
    failures: parts.flatMap((part) => part.failures),
  };
}
