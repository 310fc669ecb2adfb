import type { Context } from '../../core/context.ts';
import { mapBounded } from '../../core/pool.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import {
  formatReference,
  parseReference,
  type Reference,
  tagOrDigestOf,
} from '../../oci/reference.ts';
import type { BundleReader } from '../bundle/bundle-reader.ts';
import { imagesBelow, layerPairs } from '../delta/layer-pairs.ts';
import type { LayerPair } from '../delta/make-layer-delta.ts';
import type { MirroredImage } from '../image-rules.ts';
import type { PreviousImage } from './inventory.ts';
import type { RunContent } from './run.ts';

export interface PairOptions {
  /** Where an older image is read. */
  readonly oldSource: (reference: Reference) => Source;
  readonly have: ReadonlyMap<string, string | undefined>;
  readonly previous: readonly PreviousImage[];
}

const AT_ONCE = 8;

export type Candidate = { readonly image: number } & (LayerPair | UnpairedLayer);

/** A layer that has nothing to be compared with. */
export interface UnpairedLayer {
  readonly fresh: Descriptor;
  readonly whole: string;
}

/** Layers the mirror lacks, each once, with an older one of the image that had this place. */
export async function findCandidates(
  ctx: Context,
  placed: readonly MirroredImage[],
  sourceOf: RunContent['sourceOf'],
  readers: readonly BundleReader[],
  options: PairOptions,
): Promise<readonly Candidate[]> {
  const previousOf = predecessors(options.previous);
  const found = await mapBounded(ctx, AT_ONCE, [...placed.entries()], async ([image, each]) => {
    // What is made here, such as a filtered catalog, is not compared.
    if (each.image.from) return [];
    try {
      const pairs = await pairsOf(ctx, each, sourceOf(each), previousOf(each), readers, options);
      return pairs.map((pair) => ({ image, ...pair }));
    } catch {
      // An image that cannot be read fails when it is copied.
      ctx.signal.throwIfAborted();
      return [];
    }
  });
  const byDigest = new Map<string, Candidate>();
  for (const candidate of found.flat()) {
    const known = byDigest.get(candidate.fresh.digest);
    if (!known || 'whole' in known) byDigest.set(candidate.fresh.digest, candidate);
  }
  return [...byDigest.values()].toSorted((a, b) => (a.fresh.digest < b.fresh.digest ? -1 : 1));
}

async function pairsOf(
  ctx: Context,
  { image }: MirroredImage,
  freshSource: Source,
  old: PreviousImage | undefined,
  readers: readonly BundleReader[],
  { oldSource, have }: PairOptions,
): Promise<(LayerPair | UnpairedLayer)[]> {
  const root = await freshSource.resolve(ctx, image.digest ?? tagOrDigestOf(image.source));
  if (!root || root.digest === old?.digest) return [];
  const oldSources = old
    ? [
        ...readers.filter((each) => each.has(old.digest)).map((each) => each.source(UNHASHED)),
        oldSource(parseReference(old.source)),
      ]
    : [];
  const oldImage = await firstWith(ctx, oldSources, old);
  const fresh = { source: freshSource, root };
  const pairs = await layerPairs(ctx, fresh, oldImage, (digest) => have.has(digest));
  return pairs.map(([layer, base]) =>
    base
      ? { fresh: layer, old: base, freshSource, oldSources, oldRepository: have.get(base.digest) }
      : { fresh: layer, whole: whyUnpaired(old, oldImage) },
  );
}

/** Each layer is verified when it is unpacked. */
const UNHASHED = { hashed: false };

/** The first place that has the older image and all its manifests. */
async function firstWith(
  ctx: Context,
  sources: readonly Source[],
  old: PreviousImage | undefined,
): Promise<{ source: Source; root: Descriptor } | undefined> {
  for (const source of old ? sources : []) {
    try {
      const root = await source.resolve(ctx, old?.digest ?? '');
      if (!root) continue;
      await imagesBelow(ctx, source, root);
      return { source, root };
    } catch {
      // Chunks may be gone, and upstream may have removed it: that is no loss.
      ctx.signal.throwIfAborted();
    }
  }
  return undefined;
}

function whyUnpaired(old: PreviousImage | undefined, oldImage: object | undefined): string {
  if (!old) return 'the mirror has no older image of it';
  return oldImage
    ? 'the older image has no layer like it'
    : 'its older image is not upstream any more';
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
