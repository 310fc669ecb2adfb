import type { SemVer } from 'semver';
import type { ApiKind } from './api-kind.ts';
import type { Requirement } from './requirement.ts';

export interface RelatedImage {
  readonly name: string;
  readonly image: string;
}

/** One version of an operator. */
export interface Bundle {
  readonly name: string;
  readonly package: string;
  /** Undefined where the catalog gives none, or none that can be read. */
  readonly version: SemVer | undefined;
  /** Empty when the bundle is inside the catalog. */
  readonly image: string;
  readonly relatedImages: readonly RelatedImage[];
  readonly provides: readonly ApiKind[];
  readonly requires: readonly Requirement[];
}

/** A place in a channel: what a cluster can be updated from to get here. */
export interface ChannelEntry {
  readonly name: string;
  readonly replaces?: string | undefined;
  readonly skips?: readonly string[] | undefined;
  readonly skipRange?: string | undefined;
}

export interface Channel {
  readonly name: string;
  readonly entries: readonly ChannelEntry[];
}

export interface Deprecation {
  readonly schema: 'olm.package' | 'olm.channel' | 'olm.bundle';
  /** Empty for the package itself. */
  readonly name: string;
  readonly message: string;
}

export interface Package {
  readonly name: string;
  readonly defaultChannel: string;
  /** By name. */
  readonly channels: ReadonlyMap<string, Channel>;
  readonly bundles: ReadonlyMap<string, Bundle>;
  readonly deprecations: readonly Deprecation[];
  /** What is wrong with its documents: an error only where the package is asked for. */
  readonly problems: readonly string[];
}

/** What a file-based catalog says, without the bulk of its documents. */
export interface Catalog {
  /** By name, sorted. */
  readonly packages: ReadonlyMap<string, Package>;
}
