import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { mapBounded } from '../../core/pool.ts';
import { sleep } from '../../core/retry.ts';
import type { Registries, Repository } from '../../remote/registries.ts';
import { copyImages } from '../copy/copy-images.ts';
import type { CopyReport, ImageFailure, ImageJob } from '../copy/job.ts';
import { type Destination, formatDestination } from '../destination.ts';
import { type FollowedTags, readFollowed, writeFollowed } from './follow-state.ts';
import {
  type ContentFilter,
  type FoundRepository,
  isMeantTag,
  joined,
  listContent,
  tagsOf,
} from './list-tags.ts';
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
const LISTS_AT_ONCE = 8;

/** Makes one registry have the tags, images and referrers of another. Doing it again does the rest. */
export async function followRegistry(ctx: Context, options: FollowOptions): Promise<FollowReport> {
  const { registries, from } = options;
  if (options.target === undefined) refuseItself(options);
  const found = await listContent(ctx, registries, from, options.filter);
  const images = found.flatMap((each) => jobsOf(options, each));
  const known = await knownTags(options);
  const gone = options.remove ? goneFrom(found, [...known], options) : [];
  if (options.dryRun) return reportOf(options, { found, images, gone, report: undefined });
  // Before the first is copied: what a pass that is killed has brought must be known as well.
  const brought = new Set([...known, ...(await absentTags(ctx, options, found))]);
  await remember(options, brought);
  const report = await copyAll(ctx, options, images);
  await removeAll(ctx, options, gone);
  for (const name of gone) brought.delete(name);
  if (gone.length > 0) await remember(options, brought);
  return reportOf(options, { found, images, gone, report });
}

/** A place within the other would bring what it brought again with every pass. */
function refuseItself({ from, to }: Pick<FollowOptions, 'from' | 'to'>): void {
  const [first, second] = [from, to].map((place) => `${formatDestination(place)}/`);
  if (!first?.startsWith(second ?? '') && !second?.startsWith(first ?? '')) return;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot let ${formatDestination(to)} follow ${formatDestination(from)}: one is within the other`,
    { hint: 'Name another registry, or a path beside the first' },
  );
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

async function knownTags({ memory, from, to }: FollowOptions): Promise<FollowedTags> {
  return memory === undefined ? new Set() : await readFollowed(memory, from, to);
}

async function remember({ memory, from, to }: FollowOptions, tags: FollowedTags): Promise<void> {
  if (memory !== undefined) await writeFollowed(memory, from, to, tags);
}

/** Tags that the second mirror lacks: only those are brought by us, so only those may be removed later. */
async function absentTags(
  ctx: Context,
  options: FollowOptions,
  found: readonly FoundRepository[],
): Promise<readonly string[]> {
  if (options.memory === undefined) return [];
  const absent = await mapBounded(ctx, LISTS_AT_ONCE, found, async ({ name, tags }) => {
    const there = new Set(await tagsOf(ctx, targetAt(options, name)));
    return tags.filter((tag) => !there.has(tag)).map((tag) => `${name}:${tag}`);
  });
  return absent.flat();
}

/** A registry that suddenly lists few repositories is broken, or the login has lost its rights. */
function goneFrom(
  found: readonly FoundRepository[],
  known: readonly string[],
  { maxRemovals = DEFAULT_MAX_REMOVALS, from, filter }: FollowOptions,
): readonly string[] {
  const there = new Set(found.flatMap(({ name, tags }) => tags.map((tag) => `${name}:${tag}`)));
  // What a filter leaves out today was not looked for.
  const gone = known.filter((name) => !there.has(name) && isMeantTag(name, filter));
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
