import semver from 'semver';
import type { Context } from '../../core/context.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import { minorsBetween } from '../../openshift/version.ts';
import { failureOf } from '../collecting.ts';
import type { CollectFailure, CollectWarning } from '../content-image.ts';
import type {
  PlatformContent,
  ReleaseArchitecture,
  ReleaseChannel,
} from '../image-set/image-set.ts';
import type { GraphSource } from './graph/graph-source.ts';
import type { UpdateGraph } from './graph/schema.ts';
import {
  type ReleaseSelection,
  riskWarnings,
  type SelectedRelease,
  selectReleases,
} from './graph/select-releases.ts';
import { compareVersions, mergeGraphs, shortestPath } from './graph/update-path.ts';

/** A release image that was asked for. */
export interface WantedRelease {
  readonly reference: Reference;
  /** What the graph says it is; undefined for `platform.release`. */
  readonly version: string | undefined;
  readonly architecture: ReleaseArchitecture | undefined;
  readonly reason: string;
}

export interface ChosenReleases {
  readonly releases: readonly WantedRelease[];
  readonly warnings: readonly CollectWarning[];
  readonly failures: readonly CollectFailure[];
}

interface Selected extends ReleaseSelection {
  readonly channel: ReleaseChannel;
  readonly graph: UpdateGraph;
}

/** Asks the update graph which releases the image set means, for every architecture and channel. */
export async function chooseReleases(
  ctx: Context,
  platform: PlatformContent,
  graphs: GraphSource,
): Promise<ChosenReleases> {
  if (platform.release) {
    const asked = { version: undefined, architecture: undefined, reason: 'platform.release' };
    return { releases: [{ reference: platform.release, ...asked }], warnings: [], failures: [] };
  }
  const chosen: ChosenReleases[] = [];
  for (const architecture of platform.architectures) {
    chosen.push(await chooseFor(ctx, platform.channels, architecture, graphs));
  }
  return {
    releases: withoutRepeats(chosen.flatMap(({ releases }) => releases)),
    warnings: chosen.flatMap(({ warnings }) => warnings),
    failures: chosen.flatMap(({ failures }) => failures),
  };
}

async function chooseFor(
  ctx: Context,
  channels: readonly ReleaseChannel[],
  architecture: ReleaseArchitecture,
  graphs: GraphSource,
): Promise<ChosenReleases> {
  const selected: Selected[] = [];
  const failures: CollectFailure[] = [];
  const warnings: CollectWarning[] = [];
  const wanted = (release: SelectedRelease): WantedRelease => ({
    reference: release.node.payload,
    version: release.node.version,
    architecture,
    reason: release.reason,
  });
  for (const channel of channels) {
    const subject = `channel ${channel.name} for ${architecture}`;
    try {
      const graph = await graphs.graph(ctx, { ...channel, channel: channel.name, architecture });
      const selection = selectReleases(graph, channel);
      selected.push({ channel, graph, ...selection });
      warnings.push(...selection.warnings.map((message) => ({ subject, message })));
    } catch (error) {
      ctx.signal.throwIfAborted();
      failures.push(failureOf(subject, error));
    }
  }
  const between = await acrossChannels(ctx, selected, architecture, graphs);
  warnings.push(...between.warnings);
  const releases = [...selected.flatMap((each) => each.releases), ...between.releases];
  return { releases: releases.map(wanted), warnings, failures };
}

interface Between {
  readonly releases: readonly SelectedRelease[];
  readonly warnings: readonly CollectWarning[];
}

/** With several channels, what a cluster has to pass on its way from the lowest to the highest. */
async function acrossChannels(
  ctx: Context,
  all: readonly Selected[],
  architecture: ReleaseArchitecture,
  graphs: GraphSource,
): Promise<Between> {
  const selected = all.filter(({ channel }) => channel.type === 'ocp');
  const chosen = selected.flatMap(({ releases }) => releases.map(({ node }) => node.version));
  const [from, to] = [chosen.toSorted(compareVersions)[0], chosen.toSorted(compareVersions).at(-1)];
  if (selected.length < 2 || !from || !to || from === to) return { releases: [], warnings: [] };

  const subject = `update from ${from} to ${to} for ${architecture}`;
  let graph = mergeGraphs(selected.map((each) => each.graph));
  let path = shortestPath(graph, from, to);
  if (!path) {
    const more = await graphsBetween(ctx, selected, { from, to, architecture }, graphs);
    graph = mergeGraphs([graph, ...more]);
    path = shortestPath(graph, from, to);
  }
  if (!path) return { releases: [], warnings: [{ subject, message: noPath(from, to) }] };
  const missing = path.map((step) => step.to).filter((version) => !chosen.includes(version));
  const reason = `on the update path from ${from} to ${to} across channels`;
  const releases = graph.nodes
    .filter(({ version }) => missing.includes(version))
    .map((node) => ({ node, reason }));
  const added = missing.length > 0 ? [`${missing.join(', ')} added: ${reason}`] : [];
  const messages = [...added, ...riskWarnings(path)];
  return { releases, warnings: messages.map((message) => ({ subject, message })) };
}

const noPath = (from: string, to: string) =>
  `No chain of updates leads from ${from} to ${to} in these channels`;

/** Graphs of the minors between two listed channels, as `stable-4.17` between 4.16 and 4.18. */
async function graphsBetween(
  ctx: Context,
  selected: readonly Selected[],
  way: { readonly from: string; readonly to: string; readonly architecture: ReleaseArchitecture },
  graphs: GraphSource,
): Promise<UpdateGraph[]> {
  const listed = new Set(selected.map(({ channel }) => channel.name));
  const prefix = /^(?<prefix>[a-z]+)-\d/.exec(selected.at(-1)?.channel.name ?? '')?.groups?.prefix;
  const [low, high] = [semver.parse(way.from), semver.parse(way.to)];
  if (!prefix || !low || !high) return [];
  const found: UpdateGraph[] = [];
  for (const { major, minor } of minorsBetween(low, high)) {
    const channel = `${prefix}-${major}.${minor}`;
    if (listed.has(channel)) continue;
    const query = { channel, architecture: way.architecture, type: 'ocp' as const };
    // A channel nobody asked for may well not exist.
    const graph = await graphs.graph(ctx, query).catch(() => undefined);
    if (graph) found.push(graph);
  }
  return found;
}

function withoutRepeats(releases: readonly WantedRelease[]): readonly WantedRelease[] {
  const byImage = new Map<string, WantedRelease>();
  for (const release of releases) {
    const key = formatReference(release.reference);
    if (!byImage.has(key)) byImage.set(key, release);
  }
  return [...byImage.values()];
}
