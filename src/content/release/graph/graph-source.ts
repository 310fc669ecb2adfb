import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import type { Web } from '../../../http/web.ts';
import type { ReleaseArchitecture } from '../../image-set/image-set.ts';
import { parseUpdateGraph, type UpdateGraph } from './schema.ts';

const OCP_SERVICE = 'https://api.openshift.com/api/upgrades_info/v1/graph';
const OKD_SERVICE = 'https://origin-release.ci.openshift.org/graph';

export interface GraphQuery {
  readonly channel: string;
  readonly architecture: ReleaseArchitecture;
  readonly type: 'ocp' | 'okd';
}

/** Where update graphs come from. */
export interface GraphSource {
  /** The graph of a channel: only the releases in it. */
  graph(ctx: Context, query: GraphQuery): Promise<UpdateGraph>;
}

/**
 * The public service; or, with `location`, another service, a file with one graph, or a folder of files
 * named `<architecture>-<channel>.json` or `graph-<channel>-<architecture>.json`.
 */
export function createGraphSource(web: Web, location?: string): GraphSource {
  const known = new Map<string, Promise<UpdateGraph>>();
  const isService = location === undefined || /^https?:\/\//.test(location);
  const load = isService
    ? (ctx: Context, query: GraphQuery) => fromService(ctx, web, query, location)
    : (_: Context, query: GraphQuery) => fromDisk(location.replace(/^file:\/\//, ''), query);
  return {
    graph(ctx, query) {
      const key = `${query.type} ${query.architecture} ${query.channel}`;
      const found = known.get(key) ?? load(ctx, query);
      known.set(key, found);
      found.catch(() => known.delete(key));
      return found;
    },
  };
}

async function fromService(
  ctx: Context,
  web: Web,
  { channel, architecture, type }: GraphQuery,
  service?: string,
): Promise<UpdateGraph> {
  const url = new URL(service ?? (type === 'okd' ? OKD_SERVICE : OCP_SERVICE));
  // OKD's public service knows one graph only.
  if (type === 'ocp' || service !== undefined) {
    url.searchParams.set('arch', architecture);
    url.searchParams.set('channel', channel);
  }
  const bytes = await web.get(ctx, url.href, { accept: 'application/json' });
  const origin = `of "${channel}" from ${url.origin}${url.pathname}`;
  if (!bytes) {
    throw new AtollError('INPUT_INVALID', `Cannot find the update graph ${origin}: it has none`, {
      hint: 'Check the URL given with --graph',
    });
  }
  const graph = parseUpdateGraph(Buffer.from(bytes).toString('utf8'), origin);
  return type === 'okd' && service === undefined ? graph : inChannel(graph, channel, origin);
}

async function fromDisk(location: string, query: GraphQuery): Promise<UpdateGraph> {
  const path = await graphFile(location, query);
  const graph = parseUpdateGraph(await readText(path), `"${path}"`);
  return inChannel(graph, query.channel, `"${path}"`);
}

async function graphFile(location: string, { architecture, channel }: GraphQuery): Promise<string> {
  const isFolder = await stat(location).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return location;
  const names = [`${architecture}-${channel}.json`, `graph-${channel}-${architecture}.json`];
  const files = await readdir(location);
  const found = names.find((name) => files.includes(name));
  if (found) return join(location, found);
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot find the update graph of "${channel}" for ${architecture} in "${location}"`,
    { hint: `Put it there as ${names[0]}` },
  );
}

/** A service answers for one channel; a file may hold more, and its nodes say which they are in. */
function inChannel(graph: UpdateGraph, channel: string, origin: string): UpdateGraph {
  const nodes = graph.nodes.filter(
    ({ channels }) => channels.length === 0 || channels.includes(channel),
  );
  if (nodes.length > 0) {
    const versions = new Set(nodes.map(({ version }) => version));
    const edges = graph.edges.filter(({ from, to }) => versions.has(from) && versions.has(to));
    return { nodes, edges };
  }
  const channels = [...new Set(graph.nodes.flatMap((node) => node.channels))].toSorted();
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use channel "${channel}": the update graph ${origin} has no release in it`,
    { hint: channels.length > 0 ? `It has ${channels.join(', ')}` : 'Check the channel name' },
  );
}
