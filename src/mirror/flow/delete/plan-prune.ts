import semver from 'semver';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { formatReference, type Reference, referenceIfValid } from '../../../oci/reference.ts';
import { isBelow } from '../../destination.ts';
import type { MirroredImage } from '../../image-rules.ts';
import { type Need, needKey, needsOf } from '../../need.ts';
import { placedOf } from '../image-record.ts';
import { readReport } from '../read-report.ts';
import type { RunContent } from '../run.ts';
import type { KnownImage, WorkingDir } from '../working-dir.ts';
import { type ImageContent, readContents } from './mirror-content.ts';
import { type DeletePlan, planRemoval, type RemovalOptions } from './plan-delete.ts';

export interface PruneOptions extends RemovalOptions {
  /** Everything that is to be in the mirror. */
  readonly wanted: readonly MirroredImage[];
  /** So many newest releases of each minor version stay, whatever is wanted. */
  readonly keepReleases: number;
  /** Names of what clusters run or can go back to, by tag or digest: what belongs to them stays. */
  readonly running: ReadonlySet<string>;
}

export interface PrunePlan extends DeletePlan {
  /** Images that only a running cluster keeps. */
  readonly inUse: number;
}

/** What goes so that the mirror holds what is wanted, and what clusters need. Changes nothing. */
export async function planPrune(ctx: Context, options: PruneOptions): Promise<PrunePlan> {
  const { workingDir, destination, registries, running } = options;
  const here = (await workingDir.mirrored()).filter(({ target }) => isBelow(destination, target));
  const needed = new Set(
    [...options.wanted.flatMap(neededBy), ...retained(here, options.keepReleases)].map(needKey),
  );
  const isNeeded = (need: Need) => needed.has(needKey(need));
  const going = here.filter((image) => !neededBy(image).some(isNeeded));
  const used = running.size > 0 ? await readContents(ctx, registries, going) : [];
  const isUsed = usedBy(running);
  const inUse = used.filter(isUsed);
  // A release or a bundle is kept whole: its other parts may be started at any moment.
  for (const { image } of inUse) for (const need of neededBy(image)) needed.add(needKey(need));
  const plan = await planRemoval(ctx, options, isNeeded);
  return { ...plan, inUse: going.length - plan.deleted.length };
}

/**
 * Whether a cluster means this image: by a digest in it, by the name upstream has, or by its place in the
 * mirror, under whatever name the mirror's host goes.
 */
function usedBy(running: ReadonlySet<string>): (content: ImageContent) => boolean {
  const digests = new Set([...running].flatMap((name) => DIGEST.exec(name)?.[0] ?? []));
  // What is no name of an image, such as a blank that a trigger fills in, is in no mirror.
  const tagged = [...running]
    .filter((name) => !DIGEST.test(name))
    .flatMap((name) => referenceIfValid(name) ?? []);
  const names = new Set(tagged.map((each) => formatReference(withTag(each))));
  const places = new Set(tagged.map((each) => placeOf(withTag(each))));
  return ({ image, tree }) =>
    [image, ...tree].some(({ digest }) => digests.has(digest)) ||
    names.has(formatReference(withTag(image.image.source))) ||
    places.has(placeOf(image.target));
}

const DIGEST = /sha256:[0-9a-f]{64}/;
const placeOf = ({ repository, tag }: Reference) => `${repository}:${tag}`;
const withTag = ({ registry, repository, tag = 'latest' }: Reference): Reference => ({
  registry,
  repository,
  tag,
});

const neededBy = (image: MirroredImage): readonly Need[] => image.neededBy ?? needsOf(image.image);

/** Needs of the newest releases of each minor version and architecture. */
function retained(images: readonly KnownImage[], count: number): Need[] {
  const lines = new Map<string, { tag: string; version: semver.SemVer }[]>();
  for (const { image } of images) {
    const version = semver.parse(image.release?.version);
    if (image.kind !== 'release' || !image.release || !version) continue;
    const suffix = image.release.tag.split('-').at(-1);
    const line = `${version.major}.${version.minor} ${suffix}`;
    lines.set(line, [...(lines.get(line) ?? []), { tag: image.release.tag, version }]);
  }
  return [...lines.values()].flatMap((releases) =>
    releases
      .toSorted((a, b) => semver.rcompare(a.version, b.version))
      .slice(0, count)
      .map(({ tag }): Need => ({ kind: 'release', tag })),
  );
}

/** What an image set asks for now. With something missing in it nothing is pruned: that may be what is in use. */
export function wantedOf({ placed, failures }: Pick<RunContent, 'placed' | 'failures'>) {
  const [first] = failures;
  if (!first) return placed;
  throw new AtollError(
    first.code ?? 'INPUT_INVALID',
    `Cannot prune: what the image set asks for is not all known: ${first.subject}: ${first.message}`,
    { hint: 'Nothing was removed. Correct the image set, or try again when upstream answers' },
  );
}

/** What the last sync or load brought: inside, where nobody can be asked what an image set means. */
export async function lastWanted(workingDir: WorkingDir): Promise<readonly MirroredImage[]> {
  const { images, notCollected, flow } = await readReport(workingDir);
  if (flow !== 'sync' && flow !== 'load') {
    throw new AtollError('INPUT_INVALID', `Cannot prune by the last run: it was a ${flow}`, {
      hint: 'Give the image set with -c FILE',
    });
  }
  return wantedOf({ placed: images.map(placedOf), failures: notCollected });
}
