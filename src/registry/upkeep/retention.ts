import type { Context } from '../../core/context.ts';
import { matchesPattern } from '../../core/wildcard.ts';
import type { Digest } from '../../oci/digest.ts';
import type { Store } from '../../store/store.ts';
import { type Links, openLinks, type TagLink } from '../storage/links.ts';
import type { TagProtection } from '../storage/tag-protection.ts';
import { attachedTo, reachedFrom, readRepository, removeManifest } from './repository-graph.ts';
import { removeUntagged, timesOfBlobs } from './untagged.ts';

/** Which tags of the repositories that fit go by themselves. The first rule that fits counts. */
export interface RetentionRule {
  readonly repositories: string;
  /** So many stay, the last that were pushed. */
  readonly keepLast?: number | undefined;
  /** Tags that fit one of these patterns stay, and are not counted. */
  readonly keepTags?: readonly string[] | undefined;
  /** Only tags that were pushed so long ago go. */
  readonly olderThanMs?: number | undefined;
  /** Images that no tag leads to go when nobody has pushed them for so long. */
  readonly untaggedMs?: number | undefined;
}

export interface RetentionOptions {
  readonly rules: readonly RetentionRule[];
  readonly isProtected: TagProtection;
  readonly dryRun?: boolean | undefined;
}

export interface RetentionReport {
  /** `REPOSITORY:TAG` */
  readonly removedTags: readonly string[];
  readonly removedManifests: number;
  readonly dryRun: boolean;
}

interface Named {
  readonly tag: string;
  readonly link: TagLink;
}

/** Removes tags that no rule keeps, with the images that nothing else names then. `gc` frees the bytes. */
export async function applyRetention(
  ctx: Context,
  store: Store,
  options: RetentionOptions,
): Promise<RetentionReport> {
  const links = openLinks(store.records);
  const dryRun = options.dryRun ?? false;
  const removedTags: string[] = [];
  let removedManifests = 0;
  const pushedAt = timesOfBlobs(ctx, store);
  for await (const repository of links.repositories(ctx)) {
    const rule = options.rules.find((each) => matchesPattern(each.repositories, repository));
    if (!rule) continue;
    if (rule.untaggedMs !== undefined) {
      const before = new Date(ctx.now().getTime() - rule.untaggedMs);
      const untagged = { repository, before, dryRun, pushedAt };
      removedManifests += await removeUntagged(ctx, store, links, untagged);
    }
    const tags = await tagsOf(ctx, links, repository);
    const stays = (tag: string) =>
      options.isProtected(repository, tag) ||
      (rule.keepTags ?? []).some((pattern) => matchesPattern(pattern, tag));
    const going = tagsToRemove(
      rule,
      tags.filter(({ tag }) => !stays(tag)),
      ctx.now(),
    );
    if (going.length === 0) continue;
    const removed = await removeImages(ctx, store, links, { repository, tags, going, dryRun });
    removedTags.push(...removed.tags.map((tag) => `${repository}:${tag}`));
    removedManifests += removed.manifests;
  }
  return { removedTags, removedManifests, dryRun };
}

/** What clients without referrers write beside an image, under its digest: it comes and goes with it. */
const subjectOf = ({ tag, link }: Named): Digest | undefined => {
  const subject = attachedTo(tag);
  // An image that has no other name is called by its own digest.
  return subject === link.digest ? undefined : subject;
};

/** A tag without a time is older than all that have one, and nobody knows how old. */
function tagsToRemove(rule: RetentionRule, tags: readonly Named[], now: Date): Named[] {
  const { keepLast, olderThanMs } = rule;
  if (keepLast === undefined && olderThanMs === undefined) return [];
  const timeOf = ({ link }: Named) => (link.at === undefined ? 0 : Date.parse(link.at));
  const isOld = (named: Named) =>
    olderThanMs === undefined || (timeOf(named) > 0 && now.getTime() - timeOf(named) > olderThanMs);
  return tags
    .filter((named) => subjectOf(named) === undefined)
    .toSorted((a, b) => timeOf(b) - timeOf(a) || (a.tag < b.tag ? 1 : -1))
    .slice(keepLast ?? 0)
    .filter(isOld);
}

async function tagsOf(ctx: Context, links: Links, repository: string): Promise<Named[]> {
  const tags: Named[] = [];
  for await (const tag of links.tags.list(ctx, repository)) {
    const link = await links.tags.get(ctx, repository, tag);
    if (link) tags.push({ tag, link });
  }
  return tags;
}

interface Removal {
  readonly repository: string;
  readonly tags: readonly Named[];
  readonly going: readonly Named[];
  readonly dryRun: boolean;
}

async function removeImages(
  ctx: Context,
  store: Store,
  links: Links,
  { repository, tags, going, dryRun }: Removal,
): Promise<{ readonly tags: readonly string[]; readonly manifests: number }> {
  const graph = await readRepository(ctx, store, links, repository);
  const gone = new Set(going.map(({ tag }) => tag));
  const reached = reachedFrom(
    graph,
    going.map(({ link }) => link.digest),
  );
  const kept = tags.filter((each) => !gone.has(each.tag) && !isAttachedTo(each, reached));
  // What nobody had tagged before is not what these tags brought.
  const others = [...graph.keys()].filter((digest) => !reached.has(digest));
  const needed = reachedFrom(graph, [...kept.map(({ link }) => link.digest), ...others]);
  const manifests = [...reached].filter((digest) => graph.has(digest) && !needed.has(digest));
  const lost = new Set(manifests);
  const alone = tags.filter((each) => gone.has(each.tag) || isAttachedTo(each, lost));
  if (!dryRun) {
    for (const { tag, link } of alone) await removeTag(ctx, links, repository, tag, link.digest);
    for (const digest of manifests)
      await removeManifest(ctx, links, repository, digest, graph.get(digest)?.subject);
  }
  return { tags: alone.map(({ tag }) => tag), manifests: manifests.length };
}

const isAttachedTo = (named: Named, digests: ReadonlySet<Digest>): boolean => {
  const subject = subjectOf(named);
  return subject !== undefined && digests.has(subject);
};

/** A tag that was moved meanwhile is a new image, and stays. */
async function removeTag(
  ctx: Context,
  links: Links,
  repository: string,
  tag: string,
  digest: Digest,
): Promise<void> {
  const now = await links.tags.get(ctx, repository, tag);
  if (now?.digest === digest) await links.tags.remove(ctx, repository, tag);
}
