import type { SemVer } from 'semver';
import { AtollError } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import { byText } from '../../../core/order.ts';
import type { VersionRange } from '../../image-set/image-set.ts';
import type { Channel, Package } from '../model/catalog.ts';
import { compareVersions } from '../model/version-range.ts';
import { type ChannelGraph, chainFrom, channelGraph, headOf } from './channel-graph.ts';
import type { Reason } from './selection.ts';
import { boundsTest, exactVersion, formatBounds, hasBounds } from './wanted-range.ts';

/** What a channel is asked for: everything, a range, or its head. */
export interface ChannelRequest {
  readonly full: boolean;
  readonly bounds: VersionRange;
}

/** The bundles of a channel that are asked for, with the reason; empty when the bounds leave none. */
export function wantChannel(
  from: Package,
  channel: Channel,
  { full, bounds }: ChannelRequest,
): ReadonlyMap<string, Reason> {
  if (full)
    return withReason(
      channel.entries.map(({ name }) => name),
      { kind: 'all', channel: channel.name },
    );
  const graph = graphOf(from, channel);
  const head = headOf(graph);
  if (typeof head !== 'string') throw unsound(from, channel, head.fault);
  if (!hasBounds(bounds)) return withReason([head], { kind: 'head', channel: channel.name });
  const names = inBounds(from, channel, { graph, head, bounds });
  const range = formatBounds(bounds);
  return withReason(names, { kind: 'range', channel: channel.name, range });
}

export function graphOf(from: Package, channel: Channel): ChannelGraph {
  return channelGraph(channel.entries, (name) => from.bundles.get(name)?.version);
}

function withReason(names: readonly string[], reason: Reason): ReadonlyMap<string, Reason> {
  return new Map(names.map((name) => [name, reason]));
}

interface Bounded {
  readonly graph: ChannelGraph;
  readonly head: string;
  readonly bounds: VersionRange;
}

function inBounds(from: Package, channel: Channel, { graph, head, bounds }: Bounded): string[] {
  const names = [...graph.entries.keys()];
  const versionOf = (name: string) => from.bundles.get(name)?.version;
  const exact = exactVersion(bounds);
  if (exact) return oneOf(names, versionOf, exact, chainFrom(head, graph.entries));
  const test = boundsTest(bounds);
  const tests =
    bounds.minBundle === undefined
      ? []
      : [aboveBundle(from, channel, bounds.minBundle, graph, head)];
  return names.filter((name) => {
    const version = versionOf(name);
    return version !== undefined && test(version) && tests.every((above) => above(name));
  });
}

/** The very version; of several builds of it the one that is written, else the newest in the channel. */
function oneOf(
  names: readonly string[],
  versionOf: (name: string) => SemVer | undefined,
  exact: SemVer,
  chain: readonly string[],
): string[] {
  const same = names.filter((name) => versionOf(name)?.compare(exact) === 0);
  const written = same.filter((name) => isSame(versionOf(name), exact));
  const candidates = written.length > 0 ? written : same;
  const place = (name: string) => (chain.includes(name) ? chain.indexOf(name) : chain.length);
  const [best] = candidates.toSorted((a, b) => place(a) - place(b) || byText(a, b));
  return best === undefined ? [] : [best];
}

function isSame(version: SemVer | undefined, exact: SemVer): boolean {
  return version !== undefined && compareVersions(version, exact) === 0;
}

/** `minBundle`: it and everything above it on the chain; a bundle that is not there counts by its version. */
function aboveBundle(
  from: Package,
  channel: Channel,
  minBundle: string,
  graph: ChannelGraph,
  head: string,
): (name: string) => boolean {
  if (!from.bundles.has(minBundle)) throw unknownBundle(from, channel, minBundle);
  const chain = chainFrom(head, graph.entries);
  const last = chain.indexOf(minBundle);
  if (last >= 0) {
    const above = new Set(chain.slice(0, last + 1));
    return (name) => above.has(name);
  }
  const floor = from.bundles.get(minBundle)?.version;
  return (name) => {
    const version = from.bundles.get(name)?.version;
    return floor !== undefined && version !== undefined && compareVersions(version, floor) >= 0;
  };
}

function unknownBundle(from: Package, channel: Channel, name: string): AtollError {
  const names = channel.entries.map((entry) => entry.name);
  const near = nearest(name, names);
  return new AtollError(
    'INPUT_INVALID',
    `Cannot find minBundle "${name}" in channel "${channel.name}" of "${from.name}"`,
    { hint: near ? `Did you mean "${near}"?` : `It has ${names.join(', ')}` },
  );
}

export function unsound(from: Package, channel: Channel, fault: string): AtollError {
  return new AtollError(
    'CATALOG_INVALID',
    `Cannot use channel "${channel.name}" of "${from.name}": ${fault}`,
    { hint: 'Choose other channels of the package, or tell who publishes the catalog' },
  );
}
