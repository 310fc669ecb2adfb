import type { ChannelEntry } from '../model/catalog.ts';
import {
  below,
  type ChannelGraph,
  chainFrom,
  faultOf,
  headOf,
  headsOf,
  strandedBy,
} from './channel-graph.ts';

/** A channel that holds what was wanted and can be served. */
export interface ConnectedChannel {
  readonly head: string;
  /** What to write: a link that only `skipRange` made is spelled out as a skip. Order of the channel. */
  readonly entries: readonly ChannelEntry[];
  /** Not wanted, but without them the others would fall apart; sorted. */
  readonly links: readonly string[];
}

/** Looking for the smallest part takes every pair of entries; larger channels keep their chain. */
const MAX_SEARCHED = 2000;

/**
 * The smallest part of a channel that has all wanted entries, one head, and a way up to it from each.
 * `fault` says why there is none.
 */
export function connectChannel(
  graph: ChannelGraph,
  wanted: ReadonlySet<string>,
): ConnectedChannel | { readonly fault: string } {
  const smallest = leastEntries(graph, wanted);
  const connected = smallest && serve(graph, smallest, wanted);
  if (connected) return connected;
  // What the smallest part cannot do, the chain of the channel itself can, down to the last wanted entry;
  // and where the links are too odd even for that, the channel as it is.
  const chained = chainAround(graph, wanted);
  const kept = 'fault' in chained ? undefined : serve(graph, chained.kept, wanted);
  const served = kept ?? serve(graph, new Set(graph.entries.keys()), wanted);
  if (served) return served;
  if ('fault' in chained) return chained;
  return { fault: faultOf([...graph.entries.values()]) ?? 'its entries do not connect' };
}

function leastEntries(
  graph: ChannelGraph,
  wanted: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  const covered = new Set([...wanted].flatMap((name) => graph.covers(name)));
  const [own, ...others] = [...wanted].filter((name) => !covered.has(name));
  if (own !== undefined && others.length === 0) {
    if (below(graph, own, wanted).size === wanted.size) return wanted;
  }
  if (graph.entries.size > MAX_SEARCHED) return undefined;
  const top = lowestAbove(graph, wanted);
  return top === undefined ? undefined : pathsFrom(graph, top, wanted);
}

/** The entry with the least below it that is still above everything wanted; a wanted one if possible. */
function lowestAbove(graph: ChannelGraph, wanted: ReadonlySet<string>): string | undefined {
  const candidates = [...graph.entries.keys()].toSorted().flatMap((name) => {
    const reach = below(graph, name);
    const all = [...wanted].every((each) => reach.has(each));
    return all ? [{ name, size: reach.size + (wanted.has(name) ? 0 : graph.entries.size) }] : [];
  });
  return candidates.toSorted((a, b) => a.size - b.size)[0]?.name;
}

/** The wanted entries, and as few others as it takes to get to each of them from the top. */
function pathsFrom(
  graph: ChannelGraph,
  top: string,
  wanted: ReadonlySet<string>,
): ReadonlySet<string> {
  const cameFrom = cheapestPaths(graph, top, wanted);
  const kept = new Set([top]);
  for (const name of wanted) {
    for (let at: string | undefined = name; at !== undefined && !kept.has(at); ) {
      kept.add(at);
      at = cameFrom.get(at);
    }
  }
  return kept;
}

/** Wanted entries cost nothing, others one; what costs the same is looked at in order. */
function cheapestPaths(
  graph: ChannelGraph,
  top: string,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const cost = new Map([[top, 0]]);
  const cameFrom = new Map<string, string>();
  const levels: string[][] = [[top]];
  const look = (at: string, level: number) => {
    for (const other of graph.covers(at)) {
      const price = level + (wanted.has(other) ? 0 : 1);
      if (price >= (cost.get(other) ?? Number.POSITIVE_INFINITY)) continue;
      cost.set(other, price);
      cameFrom.set(other, at);
      levels[price] ??= [];
      levels[price].push(other);
    }
  };
  // A level grows while it is looked at: what is wanted costs no more than what led to it.
  for (let level = 0; level < levels.length; level += 1) {
    for (const at of levels[level] ?? []) look(at, level);
  }
  return cameFrom;
}

/** The channel's own chain from the lowest entry that has everything wanted below it, to the last of it. */
function chainAround(
  graph: ChannelGraph,
  wanted: ReadonlySet<string>,
): { readonly kept: ReadonlySet<string> } | { readonly fault: string } {
  const head = headOf(graph);
  if (typeof head !== 'string') return head;
  const chain = chainFrom(head, graph.entries);
  const holds = chain.map((name) => [name, ...(graph.entries.get(name)?.skips ?? [])]);
  const places = [...wanted].map((name) => {
    const own = chain.indexOf(name);
    return own >= 0 ? own : holds.findLastIndex((names) => names.includes(name));
  });
  const stranded = [...wanted].filter((_, index) => places[index] === -1).toSorted();
  if (stranded.length > 0) return { fault: `nothing leads to ${stranded.join(', ')}` };
  return {
    kept: new Set([...wanted, ...chain.slice(Math.min(...places), Math.max(...places) + 1)]),
  };
}

/** The kept entries as the catalog will have them, if the catalog server accepts that. */
function serve(
  graph: ChannelGraph,
  kept: ReadonlySet<string>,
  wanted: ReadonlySet<string>,
): ConnectedChannel | undefined {
  const plain = [...graph.entries.values()].filter(({ name }) => kept.has(name));
  const entries = withRangesAsSkips(graph, plain);
  if (faultOf(entries) !== undefined) return undefined;
  const links = [...kept].filter((name) => !wanted.has(name)).toSorted();
  return { head: headsOf(entries)[0] as string, entries, links };
}

/** `skipRange` lets clusters update, but the server sees links only in `replaces` and `skips`. */
function withRangesAsSkips(
  graph: ChannelGraph,
  entries: readonly ChannelEntry[],
): readonly ChannelEntry[] {
  if (faultOf(entries) === undefined) return entries;
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const top = entries.find(
    ({ name }) => below(graph, name, new Set(byName.keys())).size === entries.length,
  );
  if (!top) return entries;
  const chain = chainFrom(top.name, byName);
  const added = new Map<string, string[]>();
  for (const loose of strandedBy(chain, byName)) {
    const near = chain.findLast((name) => graph.coversByRange(name).includes(loose));
    if (near !== undefined) added.set(near, [...(added.get(near) ?? []), loose]);
  }
  return entries.map((entry) => {
    const more = added.get(entry.name);
    return more ? { ...entry, skips: [...(entry.skips ?? []), ...more] } : entry;
  });
}
