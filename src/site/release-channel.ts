import { createGraphSource, type GraphSource } from '../content/release/graph/graph-source.ts';
import { compareVersions } from '../content/release/graph/update-path.ts';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { createWeb } from '../http/web.ts';
import { releaseChannel } from './inputs.ts';
import { type Site, sitePath } from './read-site.ts';

/** Refuses a release that its channel does not hold, by an update graph that lies here; else gives what nobody looked at. */
export async function checkChannel(ctx: Context, site: Site): Promise<readonly string[]> {
  const { graph, imageSet } = site.mirror;
  if (site.release.image !== undefined || imageSet !== undefined) return [];
  if (graph === undefined || /^https?:/.test(graph)) {
    const { version } = site.release;
    const channel = releaseChannel(site);
    return [
      `whether ${channel} holds ${version}: the update service knows, and "atoll doctor" asks it`,
    ];
  }
  const web = createWeb();
  try {
    const place = graph.startsWith('file://') ? graph : sitePath(site, graph);
    await requireInChannel(ctx, site, createGraphSource(web, place));
    return [];
  } finally {
    web.close();
  }
}

/** The release must be in the channel that it is mirrored from. */
export async function requireInChannel(
  ctx: Context,
  site: Pick<Site, 'release'>,
  graphs: GraphSource,
): Promise<void> {
  const { version = '', architecture } = site.release;
  const channel = releaseChannel(site);
  const { nodes } = await graphs.graph(ctx, { channel, architecture, type: 'ocp' });
  if (nodes.some((node) => node.version === version)) return;
  const newest = nodes.map((node) => node.version).toSorted(compareVersions);
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use release.version ${version}: the channel ${channel} does not hold it`,
    { hint: `Its newest are ${newest.slice(-SHOWN).join(', ')}; or set release.channel` },
  );
}

const SHOWN = 3;
