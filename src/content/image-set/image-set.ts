import type { LinearPattern } from '../../core/linear-pattern.ts';
import type { Content } from './content-schema.ts';

export type { CatalogOrigin } from './references.ts';

/** What was read stays as it is. */
type Settled<T> = T extends LinearPattern | string
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Settled<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Settled<T[Key]> }
      : T;

/**
 * What to mirror (or to delete), whatever version of the file asked for it. Everything in here has
 * been checked; only what needs the network (does the channel, the package, the image exist) is open.
 * The fields are those of `content-schema.ts`.
 */
export interface ImageSet extends Settled<Content> {
  readonly purpose: 'mirror' | 'delete';
  readonly apiVersion: 'v1alpha2' | 'v2alpha1';
  /** The file it was read from, for messages. */
  readonly file: string;
  /** Largest chunk of a bundle, where the file sets one. */
  readonly archiveSizeBytes: number | undefined;
  /** What was translated, ignored or deserves a look. */
  readonly warnings: readonly ImageSetWarning[];
}

export interface ImageSetWarning {
  readonly message: string;
  readonly hint?: string | undefined;
  readonly line: number;
  readonly column: number;
}

export type PlatformContent = NonNullable<ImageSet['platform']>;
export type ReleaseArchitecture = PlatformContent['architectures'][number];
export type ReleaseChannel = PlatformContent['channels'][number];
export type OperatorCatalog = ImageSet['operators'][number];
export type OperatorPackage = OperatorCatalog['packages'][number];
export type VersionRange = Pick<OperatorPackage, 'minVersion' | 'maxVersion' | 'minBundle'>;
export type AdditionalImage = ImageSet['additionalImages'][number];
export type BlockedImage = ImageSet['blockedImages'][number];
export type HelmRepository = ImageSet['helm']['repositories'][number];
/** A chart of a repository, or one on this machine, which has a path. */
export type HelmChart = HelmRepository['charts'][number];

/** Whether nothing at all was asked for. */
export function isEmptyImageSet(set: ImageSet): boolean {
  return (
    set.platform === undefined &&
    set.operators.length === 0 &&
    set.additionalImages.length === 0 &&
    set.helm.repositories.length === 0 &&
    set.helm.local.length === 0 &&
    Object.values(set.atoll).every((list) => list.length === 0)
  );
}
