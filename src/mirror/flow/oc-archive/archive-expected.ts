import semver from 'semver';
import type { ContentImage } from '../../../content/content-image.ts';
import type { ImageSet, ReleaseChannel } from '../../../content/image-set/image-set.ts';
import { splitDigest } from '../../../oci/digest.ts';
import { RELEASE_COMPONENTS, RELEASE_IMAGES } from '../../../openshift/repositories.ts';
import type { NamedImage } from './archive-catalogs.ts';
import { contentOf, isRelease, type Origin, originKey, releaseOf } from './archive-images.ts';
import { type ArchiveOrigins, additionalOf, type NamedArchive } from './archive-origins.ts';

/**
 * What the archives need and do not hold: the mirror has to have it. Names of images that nothing in here
 * asks for are not among it, since every archive lists all that its writer ever saved.
 */
export function expectedImages(
  { all, here, set }: NamedArchive,
  { origins, places }: ArchiveOrigins,
): ContentImage[] {
  const present = new Set(here.map(originKey));
  const isAbsent = (image: NamedImage) => !present.has(originKey(image));
  if (!set) return all.filter(isAbsent).map((image) => contentOf(image, origins, undefined));
  const listed = [...origins].flatMap(([key, origin]) =>
    present.has(key) ? [] : [contentOf(nameOf(key, origin, all), origins, undefined)],
  );
  const releases = releasesOf(set, all).filter(isAbsent);
  const unresolved = additionalOf(set).filter((image) => !isNamed(image, all));
  const catalogs = catalogsOf(
    set,
    [...places.values()].map(({ entry }) => entry),
  );
  return [
    ...listed,
    ...releases.map((image) => contentOf(image, origins, undefined)),
    ...unresolved,
    ...catalogs,
  ];
}

/** The name an image has in some archive, else the one it would have. */
function nameOf(
  key: string,
  { release, component }: Origin,
  all: readonly NamedImage[],
): NamedImage {
  const known = all.find((image) => originKey(image) === key);
  if (known) return known;
  const [repository = '', digest = ''] = key.split('@');
  const own = { repository, digest: digest as NamedImage['digest'] };
  const tag =
    release && component ? `${release.tag}-${component}` : `sha256-${splitDigest(own.digest).hex}`;
  return { ...own, tag };
}

function isNamed(
  { source, targetRepository, targetTag }: ContentImage,
  all: readonly NamedImage[],
) {
  const repository = targetRepository ?? source.repository;
  const tag = targetTag ?? source.tag;
  return all.some(
    (image) =>
      image.repository === repository &&
      (source.digest ? image.digest === source.digest : image.tag === tag),
  );
}

/** Catalogs of the configuration of which the archive has nothing. */
function catalogsOf(set: ImageSet, found: readonly unknown[]): ContentImage[] {
  return set.operators.flatMap((entry) => {
    const { origin, targetCatalog, targetTag, catalog } = entry;
    if (found.includes(entry) || origin.kind !== 'registry' || origin.reference.digest) return [];
    return [
      {
        kind: 'catalog' as const,
        source: origin.reference,
        reason: `catalog ${catalog}`,
        catalog,
        ...(targetCatalog ? { targetRepository: targetCatalog } : {}),
        ...(targetTag ? { targetTag } : {}),
      },
    ];
  });
}

/** Releases that the channels of the configuration mean, with their components, by the names there are. */
function releasesOf({ platform }: ImageSet, all: readonly NamedImage[]): NamedImage[] {
  if (!platform || platform.release) return [];
  const releases = all.filter(isRelease);
  const wanted = new Set(platform.channels.flatMap((channel) => tagsOf(channel, releases)));
  return all.filter(
    (image) =>
      (image.repository === RELEASE_IMAGES || image.repository === RELEASE_COMPONENTS) &&
      wanted.has(releaseOf(image).release?.tag ?? ''),
  );
}

/** A range means all that is in it; without one a channel means its newest release. */
function tagsOf(
  { name, minVersion, maxVersion, full, shortestPath }: ReleaseChannel,
  releases: readonly NamedImage[],
): string[] {
  const line = /(?<line>\d+\.\d+)$/.exec(name)?.groups?.line;
  const versions = releases
    .flatMap((image) => {
      const { release } = releaseOf(image);
      const version = semver.parse(release?.version);
      return release && version ? [{ tag: release.tag, version }] : [];
    })
    .filter(({ version }) => line === undefined || `${version.major}.${version.minor}` === line)
    .toSorted((a, b) => semver.rcompare(a.version, b.version));
  const newest = versions.filter(({ version }) => version.version === versions[0]?.version.version);
  if (full || shortestPath || !minVersion) return newest.map(({ tag }) => tag);
  return versions
    .filter(({ version }) => semver.gte(version, minVersion))
    .filter(({ version }) => !maxVersion || semver.lte(version, maxVersion))
    .map(({ tag }) => tag);
}
