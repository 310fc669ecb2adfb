import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { sleep } from '../../core/retry.ts';
import type { Registries, Repository } from '../../remote/registries.ts';
import { copyImages } from '../copy/copy-images.ts';
import type { CopyReport, ImageFailure, ImageJob } from '../copy/job.ts';
import { type Destination, formatDestination } from '../destination.ts';
import { readFollowed, writeFollowed } from './follow-state.ts';
import { type ContentFilter, type FoundRepository, joined, listContent } from './list-tags.ts';
import { removeTags } from './remove-tags.ts';

export interface FollowOptions {
  readonly registries: Registries;
  /** How the second one is reached, where that is another way. */
  readonly target?: Registries | undefined;
  readonly from: Destination;
  readonly to: Destination;
  readonly filter: ContentFilter;
  /** Where it is remembered what was brought; without it nothing is ever removed. */
  readonly memory?: string | undefined;
  /** Remove at the second what the first has no more, if following brought it. */
  readonly remove?: boolean | undefined;
  /** More removals in one pass than this are taken for a mistake. */
  readonly maxRemovals?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface FollowReport {
  readonly repositories: number;
  readonly images: number;
  readonly copied: number;
  readonly skipped: number;
  readonly failed: readonly { readonly image: string; readonly error?: ImageFailure | undefined }[];
  /** `REPOSITORY:TAG`, as the second registry calls it. */
  readonly removed: readonly string[];
  readonly copiedBytes: number;
}

const DEFAULT_MAX_REMOVALS = 100;

/** Makes one registry have the tags, images and referrers of another. Doing it again does the rest. */
export async function followRegistry(ctx: Context, options: FollowOptions): Promise<FollowReport> {
  const { registries, from, to } = options;
  const found = await listContent(ctx, registries, from, options.filter);
  const images = found.flatMap((each) => jobsOf(options, each));
  const known = options.memory === undefined ? {} : await readFollowed(options.memory, from, to);
  const gone = options.remove ? goneFrom(found, Object.keys(known), options) : [];
  const report = options.dryRun ? undefined : await copyAll(ctx, options, images);
  if (!options.dryRun) {
    await removeAll(ctx, options, gone);
    if (options.memory !== undefined) {
      const tags = { ...known, ...broughtBy(report, images) };
      for (const name of gone) delete tags[name];
      await writeFollowed(options.memory, from, to, tags);
    }
  }
  return reportOf(options, { found, images, gone, report });
}

/** Repository and tag of a job, as both registries call it below their paths. */
type FollowJob = ImageJob & { readonly name: string };

type Place = Pick<FollowOptions, 'registries' | 'to' | 'target'>;

const targetAt = ({ registries, target = registries, to }: Place, name: string): Repository =>
  target.repository(to.registry, joined(to.prefix, name));

function jobsOf(
  options: FollowOptions,
  { name, repository, tags }: FoundRepository,
): readonly FollowJob[] {
  const { to } = options;
  const target = targetAt(options, name);
  return tags.map((tag) => ({
    name: `${name}:${tag}`,
    source: repository,
    target,
    reference: tag,
    tags: [tag],
    from: `${repository.registry}/${repository.repository}:${tag}`,
    to: `${formatDestination(to)}/${name}:${tag}`,
  }));
}

async function copyAll(
  ctx: Context,
  { registries, concurrency, from }: FollowOptions,
  images: readonly FollowJob[],
): Promise<CopyReport> {
  return await copyImages(ctx, {
    images,
    concurrency,
    limiter: (registry) => registries.limiter(registry),
    retry: registries.retry,
    title: `Following ${formatDestination(from)}`,
  });
}

function broughtBy(
  report: CopyReport | undefined,
  images: readonly FollowJob[],
): Record<string, string> {
  const results = report?.images ?? [];
  return Object.fromEntries(
    results.flatMap(({ digest, outcome }, index) => {
      const name = images[index]?.name;
      return name === undefined || digest === undefined || outcome === 'failed'
        ? []
        : [[name, digest]];
    }),
  );
}

/** A registry that suddenly shows little is broken, or shows it to somebody else. */
function goneFrom(
  found: readonly FoundRepository[],
  known: readonly string[],
  { maxRemovals = DEFAULT_MAX_REMOVALS, from }: FollowOptions,
): readonly string[] {
  const there = new Set(found.flatMap(({ name, tags }) => tags.map((tag) => `${name}:${tag}`)));
  const gone = known.filter((name) => !there.has(name));
  if (gone.length <= maxRemovals) return gone;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot follow: ${gone.length} tags that ${formatDestination(from)} had are not there any more`,
    { hint: 'If that is right, raise --max-removals; nothing was changed' },
  );
}

async function removeAll(
  ctx: Context,
  { registries, to, target }: FollowOptions,
  gone: readonly string[],
): Promise<void> {
  const byRepository = new Map<string, string[]>();
  for (const each of gone) {
    const colon = each.lastIndexOf(':');
    const [name, tag] = [each.slice(0, colon), each.slice(colon + 1)];
    byRepository.set(name, [...(byRepository.get(name) ?? []), tag]);
  }
  for (const [name, tags] of byRepository) {
    await removeTags(ctx, targetAt({ registries, to, target }, name), tags);
  }
}

interface Pass {
  readonly found: readonly FoundRepository[];
  readonly images: readonly FollowJob[];
  readonly gone: readonly string[];
  readonly report: CopyReport | undefined;
}

function reportOf({ to }: FollowOptions, { found, images, gone, report }: Pass): FollowReport {
  const failed = (report?.images ?? []).filter(({ outcome }) => outcome === 'failed');
  return {
    repositories: found.length,
    images: images.length,
    copied: report?.copied ?? 0,
    skipped: report?.skipped ?? 0,
    failed: failed.map(({ from, error }) => ({ image: from, error })),
    removed: gone.map((name) => `${formatDestination(to)}/${name}`),
    copiedBytes: report?.blobs.copiedBytes ?? 0,
  };
}

/** Follows until it is stopped. A pass that fails is told, and the next one tries again. */
export async function keepFollowing(
  ctx: Context,
  options: FollowOptions,
  everyMs: number,
): Promise<never> {
  while (true) {
    try {
      const { copied, failed, removed } = await followRegistry(ctx, options);
      const message = `In step: ${copied} copied, ${removed.length} removed, ${failed.length} failed`;
      ctx.emit({ type: 'note.added', message });
    } catch (error) {
      ctx.signal.throwIfAborted();
      const message = `Cannot follow for now: ${messageOf(error)}`;
      ctx.emit({ type: 'warning.raised', message, subject: formatDestination(options.from) });
    }
    await sleep(ctx, everyMs);
  }
}
