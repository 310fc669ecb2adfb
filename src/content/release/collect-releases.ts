import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { mapBounded } from '../../core/pool.ts';
import { parseReference, tagOrDigestOf } from '../../oci/reference.ts';
import { type CollectDeps, failureOf } from '../collecting.ts';
import {
  type Collection,
  EMPTY_COLLECTION,
  mergeCollections,
  type ReleaseSignature,
} from '../content-image.ts';
import type { ImageSet } from '../image-set/image-set.ts';
import { chooseReleases } from './choose-releases.ts';
import { collectRelease } from './collect-release.ts';
import { createGraphSource } from './graph/graph-source.ts';
import { buildGraphImage, GRAPH_BASE_IMAGE, readGraphData } from './graph-image.ts';

const AT_ONCE = 4;

/** Everything `platform` of an image set asks for. What cannot be found is a failure, never silence. */
export async function collectReleases(
  ctx: Context,
  set: ImageSet,
  deps: CollectDeps,
): Promise<Collection> {
  const { platform } = set;
  if (!platform) return EMPTY_COLLECTION;
  const graphs = createGraphSource(deps.web, deps.graph);
  const chosen = await chooseReleases(ctx, platform, graphs);
  const collected = await mapBounded(ctx, AT_ONCE, chosen.releases, (wanted) =>
    collectRelease(ctx, wanted, set, deps),
  );
  const releases = mergeCollections([
    { ...EMPTY_COLLECTION, warnings: chosen.warnings, failures: chosen.failures },
    ...collected,
  ]);
  if (!platform.graph || set.purpose === 'delete') return releases;
  const graph = await collectGraphImage(ctx, set, deps, releases.signatures);
  return mergeCollections([releases, graph]);
}

async function collectGraphImage(
  ctx: Context,
  { platform }: ImageSet,
  deps: CollectDeps,
  signatures: readonly ReleaseSignature[],
): Promise<Collection> {
  const name = deps.graphBaseImage ?? GRAPH_BASE_IMAGE;
  try {
    const reference = parseReference(name);
    const source = deps.source(reference);
    const base = await source.resolve(ctx, tagOrDigestOf(reference));
    if (!base) throw new AtollError('IMAGE_UNKNOWN', `Cannot find the base image ${name}`);
    const graphData = await readGraphData(ctx, deps.web, deps.graphData);
    const platforms = platform?.platforms;
    const built = await buildGraphImage(ctx, { source, base, platforms, graphData, signatures });
    const image = {
      kind: 'graph' as const,
      source: reference,
      digest: built.descriptor.digest,
      from: built.source,
      reason: 'platform.graph',
      sigstore: 'none' as const,
    };
    return { ...EMPTY_COLLECTION, images: [image] };
  } catch (error) {
    ctx.signal.throwIfAborted();
    return { ...EMPTY_COLLECTION, failures: [failureOf('graph-data image', error)] };
  }
}
