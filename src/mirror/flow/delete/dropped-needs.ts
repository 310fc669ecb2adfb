import semver from 'semver';
import type {
  HelmChart,
  ImageSet,
  OperatorCatalog,
  OperatorPackage,
  PlatformContent,
  ReleaseChannel,
  VersionRange,
} from '../../../content/image-set/image-set.ts';
import { compareLenient } from '../../../content/image-set/versions.ts';
import { AtollError } from '../../../core/errors.ts';
import { isArchitecture, rpmArchitecture } from '../../../oci/platform.ts';
import { formatReference } from '../../../oci/reference.ts';
import { additionalNeed, joinNeeds, type Need, needKey, needsOf } from '../../need.ts';
import type { KnownImage } from '../working-dir.ts';

/**
 * The needs that an image set takes back, found in what the mirror is known to hold: nothing else is
 * asked, so it works inside. What it names and nothing needs is an error.
 */
export function droppedNeeds(set: ImageSet, images: readonly KnownImage[]): readonly Need[] {
  for (const { catalog } of set.operators) refuseShared(catalog, set, images);
  const packageOf = packagesOf(images);
  const choices: Choice[] = [
    ...(set.platform ? platformChoices(set.platform) : []),
    ...set.operators.flatMap((operator) => operatorChoices(operator, packageOf)),
    ...set.additionalImages.map(({ name, origin, targetRepo, targetTag }) => ({
      subject: `additional image ${name}`,
      takes: ({ need }: Held) =>
        origin.kind === 'registry' &&
        needKey(need) === needKey(additionalNeed(origin.reference, targetRepo, targetTag)),
    })),
    ...set.helm.local.map(chartChoice),
    ...set.helm.repositories.flatMap(({ charts }) => charts.map(chartChoice)),
  ];
  const held = images.flatMap((image) =>
    (image.neededBy ?? []).map((need): Held => ({ need, image })),
  );
  return joinNeeds(choices.flatMap((choice) => chosenBy(choice, held)));
}

interface Held {
  readonly need: Need;
  readonly image: KnownImage;
}

interface Choice {
  readonly subject: string;
  readonly takes: (held: Held) => boolean;
}

function chosenBy({ subject, takes }: Choice, held: readonly Held[]): Need[] {
  const needs = held.filter(takes).map(({ need }) => need);
  if (needs.length > 0) return needs;
  throw new AtollError('INPUT_INVALID', `Cannot delete ${subject}: the mirror does not have it`, {
    hint: 'working-dir/mirrored.json lists what it has; name another folder with --dir DIR',
  });
}

function platformChoices(platform: PlatformContent): Choice[] {
  const graph = { subject: 'the graph image', takes: ({ need }: Held) => need.kind === 'graph' };
  const { release } = platform;
  const releases = release
    ? [
        {
          subject: `release ${formatReference(release)}`,
          takes: ({ need, image: { image, digest } }: Held) =>
            need.kind === 'release' &&
            image.kind === 'release' &&
            (release.digest ? digest === release.digest : image.release?.tag === release.tag),
        },
      ]
    : platform.channels.map((channel) => channelChoice(channel, platform));
  return platform.graph ? [...releases, graph] : releases;
}

function channelChoice(channel: ReleaseChannel, { architectures }: PlatformContent): Choice {
  const suffixes = architectures.map((each) =>
    isArchitecture(each) ? rpmArchitecture(each) : each,
  );
  const inRange = rangeOf(channel);
  return {
    subject: `releases of ${channel.name}`,
    takes: ({ need, image: { image } }) =>
      need.kind === 'release' &&
      image.release !== undefined &&
      need.tag === image.release.tag &&
      suffixes.some((suffix) => image.release?.tag.endsWith(`-${suffix}`)) &&
      inRange(image.release.version),
  };
}

/** Which versions a channel means, without its graph: a range, or all of its minor version. */
function rangeOf({ name, minVersion, maxVersion, full }: ReleaseChannel) {
  const minor = /(?<minor>\d+\.\d+)$/.exec(name)?.groups?.minor;
  if (!minVersion && !maxVersion && !full) {
    throw new AtollError('INPUT_INVALID', `Cannot tell which releases of ${name} to delete`, {
      hint: 'Give minVersion and maxVersion, or full: true for every release of that minor version',
    });
  }
  return (version: string): boolean => {
    if (!minVersion && !maxVersion) return minor !== undefined && version.startsWith(`${minor}.`);
    const above = !minVersion || semver.gte(version, minVersion);
    return above && (!maxVersion || semver.lte(version, maxVersion));
  };
}

/** Operators are counted for a catalog, not for each of its places: what one gives up another may need. */
function refuseShared(
  catalog: string,
  { operators }: Pick<ImageSet, 'operators'>,
  images: readonly KnownImage[],
): void {
  const places = images.filter(
    ({ image }) => image.kind === 'catalog' && image.catalog === catalog,
  );
  if (places.length <= operators.filter((each) => each.catalog === catalog).length) return;
  const shown = places.map(({ target }) => formatReference(target)).join(', ');
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot delete operators of ${catalog} at one place: it is mirrored to ${shown}`,
    { hint: 'List the catalog once for each of them, to delete the same from all' },
  );
}

function operatorChoices(
  { catalog, packages }: OperatorCatalog,
  packageOf: ReadonlyMap<string, string>,
): Choice[] {
  if (packages.length === 0) {
    const takes = ({ need }: Held) => 'catalog' in need && need.catalog === catalog;
    return [{ subject: `catalog ${catalog}`, takes }];
  }
  return packages.map((wanted) => ({
    subject: `package ${wanted.name} of ${catalog}`,
    takes: ({ need }) => {
      if (!('catalog' in need) || need.catalog !== catalog) return false;
      if (need.kind !== 'bundle') return need.kind === 'package' && need.name === wanted.name;
      const owner = packageOf.get(needKey(need)) ?? /^(.+?)\.v?\d/.exec(need.name)?.[1];
      return owner === wanted.name && isWanted(wanted, need.name);
    },
  }));
}

/** Which package a bundle is of, by the key of its need: an image of one package says it of its bundles. */
function packagesOf(images: readonly KnownImage[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { image } of images) {
    const [first, ...others] = image.packages ?? [];
    if (first === undefined || others.length > 0) continue;
    for (const need of needsOf(image)) owners.set(needKey(need), first);
  }
  return owners;
}

/** Bundles are named after their version, if not always after their package: `amqstreams.v2.9.0-1`. */
function isWanted(wanted: OperatorPackage, bundle: string): boolean {
  const [, version = ''] = /\.v?(\d.*)$/.exec(bundle) ?? [];
  const ranges: readonly VersionRange[] = [wanted, ...wanted.channels].filter(
    ({ minVersion, maxVersion }) => minVersion ?? maxVersion,
  );
  return ranges.length === 0 || ranges.some((range) => isWithin(version, range));
}

function isWithin(version: string, { minVersion, maxVersion }: VersionRange): boolean {
  const above = !minVersion || (compareLenient(version, minVersion) ?? -1) >= 0;
  return above && (!maxVersion || (compareLenient(version, maxVersion) ?? 1) <= 0);
}

function chartChoice({ name, version }: HelmChart): Choice {
  const subject = `chart ${version ? `${name} ${version}` : name}`;
  return {
    subject,
    takes: ({ need }) =>
      need.kind === 'chart' && need.name === name && (!version || need.version === version),
  };
}
