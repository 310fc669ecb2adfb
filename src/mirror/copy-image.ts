import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { Platform } from '../oci/descriptor.ts';
import type { Registries } from '../remote/registries.ts';
import { copyImages } from './copy/copy-images.ts';
import type { CopyReport, CopyShape, ImageResult } from './copy/job.ts';
import {
  formatImageLocation,
  type ImageLocation,
  openSource,
  openTarget,
} from './image-location.ts';

export interface CopyImageOptions {
  readonly from: ImageLocation;
  readonly to: ImageLocation;
  readonly registries: Registries;
  readonly platforms: readonly Platform[];
  /** Keep the index and its digest, with only the chosen platforms below it. */
  readonly sparse: boolean;
  readonly signatures: boolean;
}

export interface CopiedImage extends ImageResult {
  readonly blobs: CopyReport['blobs'];
  readonly durationMs: number;
}

/** Copies one image from anywhere to anywhere. Throws what stopped it. */
export async function copyImage(ctx: Context, options: CopyImageOptions): Promise<CopiedImage> {
  const { from, to, registries, platforms } = options;
  const shape = shapeOf(options);
  refuseOtherDigest(from, to, shape);
  const source = await openSource(ctx, from, registries);
  const { target, tags, holdsAttachments } = await openTarget(to, registries);
  const signatures = options.signatures && holdsAttachments;
  const names = { from: formatImageLocation(from), to: formatImageLocation(to) };
  const { images, blobs, durationMs } = await copyImages(ctx, {
    images: [{ ...source, target, tags, ...names, shape, platforms }],
    signatures,
    limiter: (registry) => registries.limiter(registry),
    retry: registries.retry,
    title: `Copying ${names.from}`,
  });
  const [result] = images;
  if (!result) throw new Error('One image was copied, but the report is empty');
  const { error } = result;
  if (error)
    throw new AtollError(error.code ?? 'IMAGES_MISSING', error.message, { hint: error.hint });
  return { ...result, blobs, durationMs };
}

function shapeOf({ platforms, sparse }: CopyImageOptions): CopyShape {
  if (sparse && platforms.length === 0) {
    throw new AtollError('USAGE', 'Cannot make a sparse copy: no platform is chosen', {
      hint: 'Add --platform linux/amd64',
    });
  }
  if (!sparse && platforms.length > 1) {
    throw new AtollError('USAGE', 'Cannot copy several platforms as one image', {
      hint: 'Add --sparse to keep the index, with only these platforms below it',
    });
  }
  if (platforms.length === 0) return 'whole';
  return sparse ? 'sparse' : 'single';
}

/** Content decides its digest: a copy cannot be given another one. */
function refuseOtherDigest(from: ImageLocation, to: ImageLocation, shape: CopyShape): void {
  if (to.kind !== 'docker' || to.reference.digest === undefined) return;
  const source = from.kind === 'docker' ? from.reference.digest : undefined;
  if (source === to.reference.digest && shape !== 'single') return;
  throw new AtollError('USAGE', `Cannot copy to ${formatImageLocation(to)}: it names a digest`, {
    hint: 'Name a tag, or copy from the same digest',
  });
}
