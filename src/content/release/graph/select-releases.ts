import { AtollError } from '../../../core/errors.ts';
import { nearest } from '../../../core/nearest.ts';
import type { ReleaseChannel } from '../../image-set/image-set.ts';
import type { GraphNode, UpdateGraph } from './schema.ts';
import { compareVersions, shortestPath, type UpdateStep } from './update-path.ts';

/** A release to mirror, and why. */
export interface SelectedRelease {
  readonly node: GraphNode;
  readonly reason: string;
}

export interface ReleaseSelection {
  /** Lowest version first. */
  readonly releases: readonly SelectedRelease[];
  /** The way that was taken, where one was asked for. */
  readonly path: readonly UpdateStep[];
  readonly warnings: readonly string[];
}

/** The releases a channel of the image set asks for. */
export function selectReleases(graph: UpdateGraph, channel: ReleaseChannel): ReleaseSelection {
  const nodes = graph.nodes.toSorted((a, b) => compareVersions(a.version, b.version));
  const bounds = boundsOf(nodes, channel);
  if (channel.shortestPath) return onPath(graph, nodes, channel, bounds);
  const chosen = nodes.filter(
    ({ version }) =>
      compareVersions(version, bounds.min) >= 0 && compareVersions(version, bounds.max) <= 0,
  );
  const isExact = channel.minVersion !== undefined && channel.minVersion === channel.maxVersion;
  if (chosen.length === 0) {
    throw notThere(channel, nodes, isExact ? bounds.min : `${bounds.min} to ${bounds.max}`);
  }
  return {
    releases: chosen.map((node) => ({ node, reason: reasonFor(channel) })),
    path: [],
    warnings: missingBounds(nodes, channel),
  };
}

interface Bounds {
  readonly min: string;
  readonly max: string;
}

/** Neither bound and not all: only the newest. One bound: from or up to there. */
function boundsOf(nodes: readonly GraphNode[], channel: ReleaseChannel): Bounds {
  const lowest = nodes[0]?.version;
  const highest = nodes.at(-1)?.version;
  if (lowest === undefined || highest === undefined) {
    throw new AtollError('INPUT_INVALID', `Cannot use channel "${channel.name}": it is empty`, {
      hint: 'Check the channel name',
    });
  }
  const isHeadOnly = !channel.minVersion && !channel.maxVersion && !channel.full;
  return {
    min: channel.minVersion ?? (isHeadOnly ? highest : lowest),
    max: channel.maxVersion ?? highest,
  };
}

function reasonFor({ name, minVersion, maxVersion, full }: ReleaseChannel): string {
  if (minVersion && minVersion === maxVersion) return `version ${minVersion} of channel ${name}`;
  if (minVersion && maxVersion) return `${minVersion} to ${maxVersion} of channel ${name}`;
  if (minVersion) return `${minVersion} and newer of channel ${name}`;
  if (maxVersion) return `up to ${maxVersion} of channel ${name}`;
  return full ? `all of channel ${name}` : `newest of channel ${name}`;
}

function onPath(
  graph: UpdateGraph,
  nodes: readonly GraphNode[],
  channel: ReleaseChannel,
  { min, max }: Bounds,
): ReleaseSelection {
  for (const version of [min, max]) {
    if (!nodes.some((node) => node.version === version)) throw notThere(channel, nodes, version);
  }
  const path = shortestPath(graph, min, max);
  if (!path) throw unreachable(channel.name, min, max);
  const versions = new Set([min, ...path.map(({ to }) => to)]);
  const reason = `on the shortest path from ${min} to ${max} in channel ${channel.name}`;
  return {
    releases: nodes
      .filter(({ version }) => versions.has(version))
      .map((node) => ({ node, reason })),
    path,
    warnings: riskWarnings(path),
  };
}

/** What speaks against the steps of a path, one sentence each. */
export function riskWarnings(path: readonly UpdateStep[]): string[] {
  return path.flatMap(({ from, to, risks }) =>
    risks.map(
      ({ name, message, url }) =>
        `The update from ${from} to ${to} is not recommended to every cluster: ${name}: ${message}${url ? ` (${url})` : ''}`,
    ),
  );
}

/** Bounds that are no release are taken as bounds; whoever mistyped one should know. */
function missingBounds(nodes: readonly GraphNode[], channel: ReleaseChannel): string[] {
  const versions = nodes.map(({ version }) => version);
  const given = { minVersion: channel.minVersion, maxVersion: channel.maxVersion };
  return Object.entries(given).flatMap(([field, version]) =>
    version === undefined || versions.includes(version)
      ? []
      : [`${field} ${version} is not a release of ${channel.name}; ${nearby(version, versions)}`],
  );
}

function notThere(
  channel: ReleaseChannel,
  nodes: readonly GraphNode[],
  wanted: string,
): AtollError {
  const versions = nodes.map(({ version }) => version);
  return new AtollError(
    'INPUT_INVALID',
    `Cannot find release ${wanted} in channel "${channel.name}": ${nearby(wanted, versions)}`,
    { hint: 'Correct minVersion and maxVersion, or choose another channel' },
  );
}

function nearby(wanted: string, versions: readonly string[]): string {
  const version = wanted.split(' ')[0] ?? wanted;
  const below = versions.filter((other) => compareVersions(other, version) < 0).at(-1);
  const above = versions.find((other) => compareVersions(other, version) > 0);
  const close = [below, above, nearest(version, versions)];
  return `the nearest are ${[...new Set(close.filter(Boolean))].join(', ')}`;
}

function unreachable(channel: string, min: string, max: string): AtollError {
  return new AtollError(
    'INPUT_INVALID',
    `Cannot find an update path from ${min} to ${max} in channel "${channel}": no chain of updates, conditional ones included, leads there`,
    { hint: 'Choose other versions, or leave out shortestPath to take the whole range' },
  );
}
