import type { Platform } from '../../oci/descriptor.ts';
import type { Reference } from '../../oci/reference.ts';

/**
 * What to mirror (or to delete), whatever version of the file asked for it. Everything in here has
 * been checked; only what needs the network (does the channel, the package, the image exist) is open.
 */
export interface ImageSet {
  readonly purpose: 'mirror' | 'delete';
  readonly apiVersion: 'v1alpha2' | 'v2alpha1';
  /** The file it was read from, for messages. */
  readonly file: string;
  /** Largest chunk of a bundle, where the file sets one. */
  readonly archiveSizeBytes: number | undefined;
  readonly platform: PlatformContent | undefined;
  readonly operators: readonly OperatorCatalog[];
  readonly additionalImages: readonly AdditionalImage[];
  readonly blockedImages: readonly BlockedImage[];
  readonly helm: HelmContent;
  /** What was translated, ignored or deserves a look. */
  readonly warnings: readonly ImageSetWarning[];
}

export interface ImageSetWarning {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly line: number;
  readonly column: number;
}

export type Architecture = 'amd64' | 'arm64' | 'ppc64le' | 's390x' | 'multi';

export interface PlatformContent {
  readonly graph: boolean;
  readonly channels: readonly ReleaseChannel[];
  /** Never empty: `[amd64]` by default, `[multi]` where `platforms` is set. */
  readonly architectures: readonly Architecture[];
  /** Only these platforms of the `multi` payload; undefined means the whole. */
  readonly platforms: readonly Platform[] | undefined;
  /** A single release; channels are then not looked at. */
  readonly release: Reference | undefined;
  readonly kubeVirtContainer: boolean;
}

export interface ReleaseChannel {
  readonly name: string;
  readonly type: 'ocp' | 'okd';
  readonly minVersion: string | undefined;
  readonly maxVersion: string | undefined;
  readonly shortestPath: boolean;
  readonly full: boolean;
}

/** Where an operator catalog comes from. */
export type CatalogOrigin =
  | { readonly kind: 'registry'; readonly reference: Reference }
  | { readonly kind: 'layout'; readonly path: string };

export interface OperatorCatalog {
  /** As the file writes it. */
  readonly catalog: string;
  readonly origin: CatalogOrigin;
  /** Empty means every package. */
  readonly packages: readonly OperatorPackage[];
  /** All bundles instead of channel heads. */
  readonly full: boolean;
  /** Repository path on the target, without host and tag. */
  readonly targetCatalog: string | undefined;
  readonly targetTag: string | undefined;
  readonly targetCatalogSourceTemplate: string | undefined;
  readonly skipDependencies: boolean;
  readonly platforms: readonly Platform[] | undefined;
}

export interface OperatorPackage extends VersionRange {
  readonly name: string;
  readonly defaultChannel: string | undefined;
  /** Empty means every channel. */
  readonly channels: readonly OperatorChannel[];
}

export interface OperatorChannel extends VersionRange {
  readonly name: string;
}

export interface VersionRange {
  readonly minVersion: string | undefined;
  readonly maxVersion: string | undefined;
  /** Lowest bundle by name, from v1alpha2; never together with `minVersion`. */
  readonly minBundle: string | undefined;
}

export interface AdditionalImage {
  /** As the file writes it. */
  readonly name: string;
  readonly origin: CatalogOrigin;
  readonly targetRepo: string | undefined;
  readonly targetTag: string | undefined;
  readonly platforms: readonly Platform[] | undefined;
}

export interface BlockedImage {
  /** As the file writes it. */
  readonly name: string;
  /** Not anchored: it blocks where it is found in the origin or the destination. */
  readonly pattern: RegExp;
}

export interface HelmContent {
  readonly repositories: readonly HelmRepository[];
  /** Charts on this machine. */
  readonly local: readonly HelmChart[];
}

export interface HelmRepository {
  readonly name: string;
  readonly url: string;
  /** Empty means every chart, in every version. */
  readonly charts: readonly HelmChart[];
}

export interface HelmChart {
  readonly name: string;
  readonly version: string | undefined;
  /** Only of local charts. */
  readonly path: string | undefined;
  /** JSONPaths to images, besides the usual ones. */
  readonly imagePaths: readonly string[];
  readonly platforms: readonly Platform[] | undefined;
}

/** Whether nothing at all was asked for. */
export function isEmptyImageSet(set: ImageSet): boolean {
  return (
    set.platform === undefined &&
    set.operators.length === 0 &&
    set.additionalImages.length === 0 &&
    set.helm.repositories.length === 0 &&
    set.helm.local.length === 0
  );
}
