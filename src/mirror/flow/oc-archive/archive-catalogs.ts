import type { ImageSet, OperatorCatalog } from '../../../content/image-set/image-set.ts';
import { type Digest, splitDigest } from '../../../oci/digest.ts';

/** One named image of an archive. */
export interface NamedImage {
  readonly repository: string;
  readonly tag: string;
  readonly digest: Digest;
}

/** What is known of a rebuilt catalog besides its name. */
export interface FilteredCatalog {
  readonly image: NamedImage;
  /** Hex of the catalog it was made from, where the archive tells. */
  readonly original: string | undefined;
  readonly packages: readonly string[];
}

/** A catalog of an archive at the tag that clusters know. */
export interface ArchivedCatalog {
  readonly tag: string;
  readonly entry: OperatorCatalog | undefined;
}

/** oc-mirror keeps a rebuilt catalog under the md5 of its filter, beside the one it was made from. */
const FILTER_TAG = /^[0-9a-f]{32}$/;

export const isFiltered = ({ tag }: NamedImage): boolean => FILTER_TAG.test(tag);

/** Where `working-dir` says which catalog a filtered one was made from. */
export const FILTERED_CATALOG =
  /(?:^|\/)operator-catalogs\/[^/]+\/(?:sha256[:-])?(?<original>[0-9a-f]{64})\/filtered-catalogs\/(?<filter>[0-9a-f]{32})\//;

/** Catalogs that are carried as they are: only those that were asked for in full. */
export function fullCatalogs(
  named: readonly NamedImage[],
  set: ImageSet | undefined,
): ReadonlyMap<NamedImage, ArchivedCatalog> {
  const full = (set?.operators ?? []).filter(isFull);
  const found = named.flatMap((image) => {
    const entry = full.find(
      (each) => repositoryOf(each) === image.repository && cacheTag(each) === image.tag,
    );
    return entry ? [[image, { tag: image.tag, entry }] as const] : [];
  });
  return new Map(found);
}

const isFull = ({ full, packages }: OperatorCatalog): boolean => full && packages.length === 0;

/** The place of each rebuilt catalog: that of the catalog it stands for, unless that is wanted in full. */
export function filteredPlaces(
  filtered: readonly FilteredCatalog[],
  all: readonly NamedImage[],
  set: ImageSet | undefined,
): ReadonlyMap<NamedImage, ArchivedCatalog> {
  const full = fullCatalogs(all, set);
  const named = all.filter((image) => !full.has(image));
  const entries = (set?.operators ?? []).filter((entry) => !isFull(entry));
  return new Map(
    filtered.map((each) => {
      const entry = entryOf(each, named, entries);
      return [each.image, { entry, tag: placeTag(each, named, entry) }];
    }),
  );
}

/** Those that rebuilt catalogs stand for stay behind, as they do with oc-mirror. */
export function replacedBy(
  filtered: readonly FilteredCatalog[],
  places: ReadonlyMap<NamedImage, ArchivedCatalog>,
): (image: NamedImage) => boolean {
  return (image) =>
    !isFiltered(image) &&
    !places.has(image) &&
    filtered.some(
      ({ image: own, original }) =>
        own.repository === image.repository &&
        (hexOf(image) === original || places.get(own)?.tag === image.tag),
    );
}

/** The entry a rebuilt catalog was made for: by what it was made from, then by its packages. */
function entryOf(
  { image: { repository }, original, packages }: FilteredCatalog,
  named: readonly NamedImage[],
  entries: readonly OperatorCatalog[],
): OperatorCatalog | undefined {
  const here = entries.filter((entry) => repositoryOf(entry) === repository);
  const same = here.filter((entry) =>
    named.some(
      (image) =>
        image.repository === repository &&
        image.tag === cacheTag(entry) &&
        hexOf(image) === original,
    ),
  );
  const likely = same.length > 0 ? same : here;
  if (likely.length <= 1) return likely[0];
  const wanted = packages.toSorted().join();
  const fitting = likely.filter(
    (entry) =>
      entry.packages
        .map(({ name }) => name)
        .toSorted()
        .join() === wanted,
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function placeTag(
  { image, original }: FilteredCatalog,
  named: readonly NamedImage[],
  entry: OperatorCatalog | undefined,
): string {
  // A catalog that was asked for by digest is tagged by the digest of what was made from it.
  if (entry) return isByDigest(entry) ? `sha256-${hexOf(image)}` : (cacheTag(entry) ?? image.tag);
  const beside = named.find(
    (each) => each.repository === image.repository && !isFiltered(each) && hexOf(each) === original,
  );
  return beside?.tag ?? image.tag;
}

const hexOf = ({ digest }: NamedImage): string => splitDigest(digest).hex;

function isByDigest({ targetTag, origin }: OperatorCatalog): boolean {
  return targetTag === undefined && origin.kind === 'registry' && !origin.reference.tag;
}

/** The tag under which oc-mirror keeps the catalog itself. */
function cacheTag({ targetTag, origin }: OperatorCatalog): string | undefined {
  if (targetTag !== undefined) return targetTag;
  if (origin.kind !== 'registry') return 'latest';
  const { tag, digest } = origin.reference;
  return tag ?? digest?.replace(':', '-');
}

function repositoryOf({ targetCatalog, origin }: OperatorCatalog): string | undefined {
  if (targetCatalog !== undefined) return targetCatalog;
  return origin.kind === 'registry' ? origin.reference.repository : origin.path.split('/').at(-1);
}
