import type { Context } from '../../core/context.ts';
import type { Source, Target } from '../../oci/content.ts';
import { formatReference, tagOrDigestOf } from '../../oci/reference.ts';
import { copyImages } from '../copy/copy-images.ts';
import type { CopyOptions, CopyReport, ImageJob } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
import { pacedBy } from './paced-source.ts';
import type { RunContent, RunOptions } from './run.ts';

export interface JobTarget {
  readonly target: Target;
  readonly tags: readonly string[];
  /** What the target is called in events. */
  readonly to: string;
}

export interface CopyRun extends RunOptions, Pick<CopyOptions, 'title' | 'delivered'> {
  readonly targetFor: (image: MirroredImage) => JobTarget;
}

/** Copies the images of a run. */
export function copyContent(
  ctx: Context,
  { placed, sourceOf }: Pick<RunContent, 'placed' | 'sourceOf'>,
  run: CopyRun,
): Promise<CopyReport> {
  const { registries, copySignatures, concurrency, targetFor, title, delivered, planned } = run;
  const paced = pacedBy(run.maxBytesPerSecond);
  const read = (each: MirroredImage) => paced(sourceOf(each));
  return copyImages(ctx, {
    images: placed.map((each) => ({ ...imageJob(each, read(each)), ...targetFor(each) })),
    signatures: copySignatures,
    concurrency,
    retry: registries.retry,
    limiter: (registry) => registries.limiter(registry),
    title,
    delivered,
    planned,
  });
}

/** What atoll built itself has no attachments anywhere. */
function imageJob({ image }: MirroredImage, source: Source): Omit<ImageJob, keyof JobTarget> {
  const { registry, repository } = image.source;
  return {
    source,
    reference: image.digest ?? tagOrDigestOf(image.source),
    from: formatReference(image.source),
    // A built image is not where its name says, so it shares nothing with that repository.
    ...(image.from ? {} : { sourceRepository: `${registry}/${repository}` }),
    ...(image.platforms ? { shape: 'sparse', platforms: image.platforms } : {}),
    ...(image.sigstore === 'none' ? { signatures: false } : {}),
    reason: image.reason,
  };
}
