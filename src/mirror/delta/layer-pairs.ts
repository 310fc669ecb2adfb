import type { Context } from '../../core/context.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { isImage, isIndex, type RawManifest } from '../../oci/manifest.ts';

/** Smaller layers cost more to look at than to carry. */
const SMALLEST_BYTES = 32 * 1024;

interface ImageRoot {
  readonly source: Source;
  readonly root: Descriptor;
}

/** A new layer, and the older one where there is one. */
export type PairedLayer = readonly [fresh: Descriptor, old: Descriptor | undefined];

/** New layers the mirror lacks, each with a layer it has at the same position of the older image. */
export async function layerPairs(
  ctx: Context,
  fresh: ImageRoot,
  old: ImageRoot | undefined,
  has: (digest: string) => boolean,
): Promise<PairedLayer[]> {
  const below = old ? await imagesBelow(ctx, old.source, old.root) : [];
  const before = new Map(below.map(({ platform, manifest }) => [platform, manifest]));
  return (await imagesBelow(ctx, fresh.source, fresh.root)).flatMap(({ platform, manifest }) => {
    const earlier = before.get(platform);
    return pairLayers(layersOf(manifest), earlier ? layersOf(earlier) : [], has);
  });
}

interface PlatformImage {
  readonly platform: string;
  readonly manifest: RawManifest;
}

export async function imagesBelow(
  ctx: Context,
  source: Source,
  root: Descriptor,
): Promise<PlatformImage[]> {
  const manifest = await source.manifest(ctx, root);
  if (!isIndex(manifest)) return [{ platform: '', manifest }];
  const children = manifest.content.manifests.filter(({ platform }) => platform);
  return await Promise.all(
    children.map(async (child) => ({
      platform: [child.platform?.os, child.platform?.architecture, child.platform?.variant].join(
        '/',
      ),
      manifest: await source.manifest(ctx, child),
    })),
  );
}

function layersOf(manifest: RawManifest): readonly Descriptor[] {
  if (!isImage(manifest)) return [];
  const carried = new Set(manifest.children.map(({ digest }) => digest));
  return manifest.content.layers.filter(({ digest }) => carried.has(digest));
}

/** By position where as many layers changed on both sides, else by size. */
export function pairLayers(
  fresh: readonly Descriptor[],
  old: readonly Descriptor[],
  has: (digest: string) => boolean,
): PairedLayer[] {
  const kept = new Set(fresh.map(({ digest }) => digest));
  const lacking = fresh.filter(({ digest }) => !has(digest));
  const gone = old.filter(({ digest }) => has(digest) && !kept.has(digest));
  return lacking.flatMap((layer, position): PairedLayer[] => {
    const other = lacking.length === gone.length ? gone[position] : nearest(layer, gone);
    return layer.size >= SMALLEST_BYTES ? [[layer, other]] : [];
  });
}

function nearest(layer: Descriptor, others: readonly Descriptor[]): Descriptor | undefined {
  const distance = ({ size }: Descriptor) => Math.abs(size - layer.size);
  return others.toSorted((a, b) => distance(a) - distance(b))[0];
}
