import type { CollectDeps } from '../../content/collecting.ts';
import type { Collection } from '../../content/content-image.ts';
import type { ImageSet } from '../../content/image-set/image-set.ts';
import type { Context } from '../../core/context.ts';
import { formatReference, tagOrDigestOf } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import type { BundleIndex } from '../bundle/bundle-index.ts';
import { BundleWriter } from '../bundle/bundle-writer.ts';
import { copyImages } from '../copy/copy-images.ts';
import type { CopyReport, ImageResult } from '../copy/job.ts';
import { parseDestination } from '../destination.ts';
import { collectContent } from './collect-content.ts';
import { recordOf } from './image-record.ts';
import { placeImages } from './placed-image.ts';
import { type MirrorReport, reportOf } from './report.ts';

export interface SaveOptions {
  readonly imageSet: ImageSet;
  readonly folder: string;
  readonly chunkBytes: number;
  readonly registries: Registries;
  readonly collect: CollectDeps;
  /** What the mirror has already, by digest, with a repository that holds it where known. */
  readonly have?: ReadonlyMap<string, string | undefined> | undefined;
  readonly copySignatures?: boolean | undefined;
  readonly concurrency?: number | undefined;
}

export interface SaveResult {
  readonly report: MirrorReport;
  readonly bundle: BundleIndex;
  readonly folder: string;
}

/** Only names that differ after loading matter here; any registry would do. */
const ANYWHERE = parseDestination('mirror.invalid');

/** Upstream to bundle. What fails is told and left out; the rest is a whole bundle. */
export async function saveBundle(ctx: Context, options: SaveOptions): Promise<SaveResult> {
  const { folder, chunkBytes, have } = options;
  const content = await collectContent(ctx, options.imageSet, options.collect);
  const placed = placeImages(content.images, ANYWHERE);
  const writer = await BundleWriter.open(folder, { chunkBytes, have });
  try {
    const copy = await copyImages(ctx, {
      images: placed.map(({ image }) => ({
        source: image.from ?? options.registries.source(image.source),
        target: writer,
        reference: image.digest ?? tagOrDigestOf(image.source),
        tags: [],
        from: formatReference(image.source),
        to: folder,
        sourceRepository: `${image.source.registry}/${image.source.repository}`,
        ...(image.platforms ? { shape: 'sparse' as const, platforms: image.platforms } : {}),
        reason: image.reason,
      })),
      signatures: options.copySignatures,
      concurrency: options.concurrency,
      limiter: (registry) => options.registries.limiter(registry),
      title: 'Saving images',
    });
    const bundle = await writer.finish(ctx, indexContent(placed, copy, content));
    return { report: reportOf(placed, copy, content.failures), bundle, folder };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function indexContent(
  placed: ReturnType<typeof placeImages>,
  copy: CopyReport,
  { signatures }: Collection,
): Pick<BundleIndex, 'images' | 'signatures'> {
  const images = placed.flatMap(({ image }, index) => {
    const { outcome, root } = copy.images[index] as ImageResult;
    if (outcome === 'failed' || !root) return [];
    const { digest, mediaType, size } = root;
    return [{ ...recordOf(image, digest), digest, mediaType, size }];
  });
  return {
    images: images.toSorted((a, b) => (`${a.source} ${a.kind}` < `${b.source} ${b.kind}` ? -1 : 1)),
    signatures: signatures
      .map(({ digest, bytes, release }) => ({
        digest,
        version: release.version,
        tag: release.tag,
        base64: Buffer.from(bytes).toString('base64'),
      }))
      .toSorted((a, b) => (a.digest < b.digest ? -1 : 1)),
  };
}
