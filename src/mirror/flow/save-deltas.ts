import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { counted, formatBytes } from '../../core/format.ts';
import { mapBounded } from '../../core/pool.ts';
import { Progress } from '../../core/progress.ts';
import { formatReference, parseReference, tagOrDigestOf } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import type { BundleWriter } from '../bundle/bundle-writer.ts';
import { readRange } from '../bundle/chunk-files.ts';
import type { LayerDelta } from '../delta/layer-delta.ts';
import { layerPairs } from '../delta/layer-pairs.ts';
import { clearWork, type LayerPair, makeLayerDelta } from '../delta/make-layer-delta.ts';
import { CarriedWhole } from '../delta/unpack-layer.ts';
import type { MirroredImage } from '../image-rules.ts';
import type { PreviousImage } from './inventory.ts';
import type { LayerOutcome, MirrorReport } from './report-schema.ts';
import type { RunContent } from './run.ts';

export interface DeltaOptions {
  readonly registries: Registries;
  readonly have: ReadonlyMap<string, string | undefined>;
  readonly previous: readonly PreviousImage[];
  readonly folder: string;
  readonly linkBytesPerSecond: number | undefined;
}

/** What became of one layer, and the first image that needs it. */
export interface ImageLayer extends LayerOutcome {
  readonly image: number;
}

const AT_ONCE = 8;

interface Candidate extends LayerPair {
  readonly image: number;
}

/**
 * Puts new layers into the bundle as the difference to layers the mirror has, before anything is copied: one
 * after the other in the order of their digests, so that the same images give the same bundle.
 */
export async function saveDeltas(
  ctx: Context,
  { placed, sourceOf }: Pick<RunContent, 'placed' | 'sourceOf'>,
  writer: BundleWriter,
  options: DeltaOptions,
): Promise<readonly ImageLayer[]> {
  if (options.previous.length === 0) return [];
  const candidates = await findCandidates(ctx, placed, sourceOf, options);
  if (candidates.length === 0) return [];
  const totalBytes = candidates.reduce((sum, { fresh }) => sum + fresh.size, 0);
  const task = { id: 'delta', title: 'Comparing layers', totalBytes };
  const progress = new Progress(ctx, task);
  const outcomes: ImageLayer[] = [];
  for (const candidate of candidates) {
    outcomes.push({ image: candidate.image, ...(await carry(ctx, candidate, writer, options)) });
    progress.addBytes(candidate.fresh.size);
  }
  progress.finish(`${formatBytes(sparedBy(outcomes))} spared`);
  return outcomes;
}

async function carry(
  ctx: Context,
  pair: LayerPair,
  writer: BundleWriter,
  { folder, linkBytesPerSecond }: DeltaOptions,
): Promise<LayerOutcome> {
  const known = writer.delta(pair.fresh.digest);
  if (known) return outcomeOf(pair, known);
  try {
    const { record, path } = await makeLayerDelta(ctx, pair, { folder, linkBytesPerSecond });
    await writer.putDelta(ctx, record, readRange(ctx, path));
    return outcomeOf(pair, record);
  } catch (error) {
    ctx.signal.throwIfAborted();
    // Whatever went wrong here, the layer can still be carried as it is.
    const whole = error instanceof CarriedWhole ? error.message : `it failed: ${messageOf(error)}`;
    return { ...namesOf(pair), carriedBytes: pair.fresh.size, whole };
  } finally {
    if (!ctx.signal.aborted) await clearWork(folder);
  }
}

function namesOf({ fresh, old }: LayerPair) {
  return { digest: fresh.digest, base: old.digest, sizeBytes: fresh.size };
}

function outcomeOf(pair: LayerPair, { delta, recompress }: LayerDelta): LayerOutcome {
  const { program, version, level } = recompress;
  const method = [program, version, level === -1 ? '' : `level ${level}`].join(' ').trim();
  return { ...namesOf(pair), carriedBytes: delta.size, method };
}

/** Layers the mirror lacks, each once, with an older one of the image that had this place. */
async function findCandidates(
  ctx: Context,
  placed: readonly MirroredImage[],
  sourceOf: RunContent['sourceOf'],
  options: DeltaOptions,
): Promise<readonly Candidate[]> {
  const previousOf = predecessors(options.previous);
  const found = await mapBounded(ctx, AT_ONCE, [...placed.entries()], async ([image, each]) => {
    const old = each.image.from ? undefined : previousOf(each);
    if (!old) return [];
    try {
      return await pairsOf(ctx, each, sourceOf(each), old, options, image);
    } catch {
      // An image that cannot be read fails when it is copied; an older one that is gone is no loss.
      ctx.signal.throwIfAborted();
      return [];
    }
  });
  const byDigest = new Map<string, Candidate>();
  for (const candidate of found.flat())
    if (!byDigest.has(candidate.fresh.digest)) byDigest.set(candidate.fresh.digest, candidate);
  return [...byDigest.values()].toSorted((a, b) => (a.fresh.digest < b.fresh.digest ? -1 : 1));
}

async function pairsOf(
  ctx: Context,
  { image }: MirroredImage,
  freshSource: ReturnType<RunContent['sourceOf']>,
  old: PreviousImage,
  { registries, have }: DeltaOptions,
  index: number,
): Promise<Candidate[]> {
  const oldSource = registries.source(parseReference(old.source));
  const [root, oldRoot] = await Promise.all([
    freshSource.resolve(ctx, image.digest ?? tagOrDigestOf(image.source)),
    oldSource.resolve(ctx, old.digest),
  ]);
  if (!root || !oldRoot || root.digest === oldRoot.digest) return [];
  const fresh = { source: freshSource, root };
  const pairs = await layerPairs(ctx, fresh, { source: oldSource, root: oldRoot }, (digest) =>
    have.has(digest),
  );
  return pairs.map(([layer, base]) => ({
    image: index,
    fresh: layer,
    old: base,
    freshSource,
    oldSource,
    oldRepository: have.get(base.digest),
  }));
}

/** A component is known by its name, all else by the repository it comes from; the newest one counts. */
function predecessors(
  previous: readonly PreviousImage[],
): (image: MirroredImage) => PreviousImage | undefined {
  const byPlace = new Map<string, PreviousImage>();
  const versionOf = ({ release }: PreviousImage) => release?.version ?? '';
  for (const image of previous) {
    const key = placeOf(image.kind, image.source, image.component);
    const known = byPlace.get(key);
    const isNewer = !known || NATURAL.compare(versionOf(image), versionOf(known)) >= 0;
    if (isNewer) byPlace.set(key, image);
  }
  return ({ image }) =>
    byPlace.get(placeOf(image.kind, formatReference(image.source), image.component));
}

const NATURAL = new Intl.Collator('en', { numeric: true });

function placeOf(kind: string, source: string, component: string | undefined): string {
  const { registry, repository } = parseReference(source);
  return component ? `${kind} ${component}` : `${kind} ${registry}/${repository}`;
}

const sparedBy = (layers: readonly LayerOutcome[]): number =>
  layers.reduce((sum, { sizeBytes, carriedBytes }) => sum + sizeBytes - carriedBytes, 0);

/** The report with what the deltas spared, in all and for each image. */
export function withDeltas(report: MirrorReport, layers: readonly ImageLayer[]): MirrorReport {
  if (layers.length === 0) return report;
  const images = report.images.map((image, index) => {
    const sparedBytes = sparedBy(layers.filter((layer) => layer.image === index));
    return sparedBytes > 0 ? { ...image, sparedBytes } : image;
  });
  return { ...report, images, deltas: layers.map(({ image: _image, ...layer }) => layer) };
}

/** `12 layers as deltas spared 400 MiB; 2 layers whole: zstd cannot be rebuilt yet (2)`. */
export function deltaText(layers: readonly LayerOutcome[]): string {
  const whole = new Map<string, number>();
  for (const { whole: reason } of layers)
    if (reason !== undefined) whole.set(reason, (whole.get(reason) ?? 0) + 1);
  const made = layers.filter((layer) => layer.whole === undefined).length;
  const reasons = [...whole].map(([reason, count]) => `${count} whole: ${reason}`);
  return [
    `${counted(made, 'layer')} as deltas spared ${formatBytes(sparedBy(layers))}`,
    ...reasons,
  ].join('; ');
}
