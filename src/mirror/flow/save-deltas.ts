import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { formatBytes } from '../../core/format.ts';
import { mapBounded } from '../../core/pool.ts';
import { Progress } from '../../core/progress.ts';
import { readIndex } from '../bundle/bundle-index.ts';
import { BundleReader } from '../bundle/bundle-reader.ts';
import type { BundleWriter } from '../bundle/bundle-writer.ts';
import { readRange } from '../bundle/chunk-files.ts';
import type { LayerDelta } from '../delta/layer-delta.ts';
import { clearWork, type LayerPair, makeLayerDelta } from '../delta/make-layer-delta.ts';
import { CarriedWhole } from '../delta/unpack-layer.ts';
import {
  type Candidate,
  findCandidates,
  type PairOptions,
  type UnpairedLayer,
} from './delta-candidates.ts';
import { sparedBy } from './report.ts';
import type { LayerOutcome, MirrorReport } from './report-schema.ts';
import type { RunContent } from './run.ts';

export interface DeltaOptions extends PairOptions {
  /** Folders of earlier bundles. */
  readonly earlier: readonly string[];
  readonly folder: string;
  readonly linkBytesPerSecond: number | undefined;
}

/** What became of one layer, and the first image that needs it. */
export interface ImageLayer extends LayerOutcome {
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
  const readers = await openEarlier(ctx, options.earlier);
  try {
    const candidates = await findCandidates(ctx, placed, sourceOf, readers, options);
    return candidates.length === 0 ? [] : await carryAll(ctx, candidates, writer, options);
  } finally {
    for (const reader of readers) await reader.close();
  }
}

async function openEarlier(ctx: Context, folders: readonly string[]): Promise<BundleReader[]> {
  const indexes = await mapBounded(ctx, 1, folders, async (folder) => ({
    folder,
    index: await readIndex(folder),
  }));
  return indexes.map(({ folder, index }) => new BundleReader(folder, index));
}

async function carryAll(
  ctx: Context,
  candidates: readonly Candidate[],
  writer: BundleWriter,
  options: DeltaOptions,
): Promise<readonly ImageLayer[]> {
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
  pair: LayerPair | UnpairedLayer,
  writer: BundleWriter,
  { folder, linkBytesPerSecond }: DeltaOptions,
): Promise<LayerOutcome> {
  if ('whole' in pair) {
    const { digest, size } = pair.fresh;
    return { digest, sizeBytes: size, carriedBytes: size, whole: pair.whole };
  }
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

/** The report with what the deltas spared, in all and for each image. */
export function withDeltas(report: MirrorReport, layers: readonly ImageLayer[]): MirrorReport {
  if (layers.length === 0) return report;
  const images = report.images.map((image, index) => {
    const sparedBytes = sparedBy(layers.filter((layer) => layer.image === index));
    return sparedBytes > 0 ? { ...image, sparedBytes } : image;
  });
  return { ...report, images, deltas: layers.map(({ image: _image, ...layer }) => layer) };
}
