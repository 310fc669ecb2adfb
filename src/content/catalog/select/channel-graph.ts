import type { SemVer } from 'semver';
import type { ChannelEntry } from '../model/catalog.ts';
import { compareVersions, parseVersionRange } from '../model/version-range.ts';

export type VersionOf = (bundle: string) => SemVer | undefined;

/** What can be updated to what in one channel. */
export interface ChannelGraph {
  readonly entries: ReadonlyMap<string, ChannelEntry>;
  /** What an entry takes the place of, nearest first: `replaces`, `skips`, then `skipRange`. */
  readonly covers: (name: string) => readonly string[];
  /** Only what its `skipRange` takes in. */
  readonly coversByRange: (name: string) => readonly string[];
}

export function channelGraph(entries: readonly ChannelEntry[], versionOf: VersionOf): ChannelGraph {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const names = [...byName.keys()].toSorted();
  const coversByRange = remembered((name) => {
    const test = parseVersionRange(byName.get(name)?.skipRange ?? '');
    const own = versionOf(name);
    if (!test) return [];
    return names.filter((other) => {
      const version = other === name ? undefined : versionOf(other);
      // Nobody updates downwards: a range that reaches above its own entry ends there.
      const isOlder = version && (own === undefined || compareVersions(version, own) < 0);
      return isOlder && test(version);
    });
  });
  const covers = remembered((name) => {
    const entry = byName.get(name);
    const named = entry ? linksOf(entry).filter((other) => byName.has(other)) : [];
    return [...new Set([...named, ...coversByRange(name)])];
  });
  return { entries: byName, covers, coversByRange };
}

function remembered<T>(compute: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const made = compute(name);
    known.set(name, made);
    return made;
  };
}

function linksOf({ replaces, skips = [] }: ChannelEntry): readonly string[] {
  return replaces === undefined ? skips : [replaces, ...skips];
}

/** The entries that nothing replaces or skips: where updates end. A sound channel has exactly one. */
export function headsOf(entries: readonly ChannelEntry[]): string[] {
  const covered = new Set(entries.flatMap(linksOf));
  return entries.flatMap(({ name }) => (covered.has(name) ? [] : [name])).toSorted();
}

/** From the head down along `replaces`, as far as the channel goes. */
export function chainFrom(
  head: string,
  entries: ReadonlyMap<string, ChannelEntry>,
): readonly string[] {
  const chain = new Set<string>();
  let at: string | undefined = head;
  while (at !== undefined && entries.has(at) && !chain.has(at)) {
    chain.add(at);
    at = entries.get(at)?.replaces;
  }
  return [...chain];
}

/**
 * Why the catalog server would refuse this channel; undefined when it would not. It wants one head, and
 * everything else on the chain of replacements below it or skipped by anything in the channel.
 */
export function faultOf(entries: readonly ChannelEntry[]): string | undefined {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  if (byName.size < entries.length) return 'it has an entry twice';
  const heads = headsOf(entries);
  if (heads.length === 0) return 'its replacements go round in a circle, so it has no head';
  if (heads.length > 1) return `it has ${heads.length} heads: ${heads.join(', ')}`;
  const chain = chainFrom(heads[0] ?? '', byName);
  const last = byName.get(chain.at(-1) ?? '');
  if (last?.replaces !== undefined && byName.has(last.replaces)) {
    return `its replacements go round in a circle at "${last.replaces}"`;
  }
  const stranded = strandedBy(chain, byName);
  return stranded.length === 0 ? undefined : `nothing leads to ${stranded.join(', ')}`;
}

/** The entries that are neither on the chain nor skipped by any other. */
export function strandedBy(
  chain: readonly string[],
  entries: ReadonlyMap<string, ChannelEntry>,
): string[] {
  const reached = new Set([...chain, ...[...entries.values()].flatMap(({ skips = [] }) => skips)]);
  return [...entries.keys()].filter((name) => !reached.has(name)).toSorted();
}

/** The head of a channel as it is; where only `skipRange` tells which, that counts. */
export function headOf(graph: ChannelGraph): string | { readonly fault: string } {
  const entries = [...graph.entries.values()];
  if (entries.length === 0) return { fault: 'it has no entries' };
  const heads = headsOf(entries);
  if (heads.length === 1) return heads[0] as string;
  const covered = new Set(heads.flatMap((name) => graph.coversByRange(name)));
  const open = heads.filter((name) => !covered.has(name));
  if (open.length === 1) return open[0] as string;
  return { fault: faultOf(entries) ?? 'it has no head' };
}

/** Everything below an entry and itself, over any link. */
export function below(
  graph: ChannelGraph,
  from: string,
  within?: ReadonlySet<string>,
): Set<string> {
  const seen = new Set([from]);
  const queue = [from];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const next of graph.covers(at)) {
      if (seen.has(next) || (within && !within.has(next))) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return seen;
}
