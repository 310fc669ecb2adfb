import semver from 'semver';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { isBelow } from '../../destination.ts';
import type { MirroredImage } from '../../image-rules.ts';
import { type Need, needKey, needsOf } from '../../need.ts';
import { placedOf } from '../image-record.ts';
import { readReport } from '../report.ts';
import type { RunContent } from '../run.ts';
import type { KnownImage, WorkingDir } from '../working-dir.ts';
import { readContents } from './mirror-content.ts';
import { type DeletePlan, planRemoval, type RemovalOptions } from './plan-delete.ts';

export interface PruneOptions extends RemovalOptions {
  /** Everything that is to be in the mirror. */
  readonly wanted: readonly MirroredImage[];
  /** So many newest releases of each minor version stay, whatever is wanted. */
  readonly keepReleases: number;
  /** Digests that clusters run or can go back to: what belongs to them stays. */
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
  const inUse = used.filter(({ image, tree }) =>
    [image, ...tree].some(({ digest }) => running.has(digest)),
  );
  // A release or a bundle is kept whole: its other parts may be started at any moment.
  for (const { image } of inUse) for (const need of neededBy(image)) needed.add(needKey(need));
  const plan = await planRemoval(ctx, options, isNeeded);
  return { ...plan, inUse: going.length - plan.deleted.length };
}

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
