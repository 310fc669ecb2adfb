import type { CollectFailure } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import type { Source, Target } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { formatReference, tagOrDigestOf } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { copyImages } from '../copy/copy-images.ts';
import type { CopyOptions, CopyReport, ImageJob } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
import { pacedBy } from './paced-source.ts';
import type { KnownSignature, WorkingDir } from './working-dir.ts';
import type { ResourceWriteOptions } from './write-resources.ts';

/** What every flow is given. */
export interface RunOptions {
  readonly registries: Registries;
  /** Whether attachments of images (signatures, SBOMs) come along. */
  readonly copySignatures?: boolean | undefined;
  readonly concurrency?: number | undefined;
  /** All blobs together come no faster. */
  readonly maxBytesPerSecond?: number | undefined;
  /** Told of the bytes that may have to move, before any does: it may refuse. */
  readonly planned?: CopyOptions['planned'];
}

/** What a flow that fills a mirror is given. */
export interface MirrorRunOptions extends RunOptions, ResourceWriteOptions {
  readonly workingDir: WorkingDir;
}

/** What a flow moves: every image with its name in the mirror, and where to read it. */
export interface RunContent {
  readonly placed: readonly MirroredImage[];
  readonly sourceOf: (image: MirroredImage) => Source;
  /** GPG signatures of releases. */
  readonly signatures: readonly KnownSignature[];
  /** What could not even be collected: told in the report like failed images. */
  readonly failures: readonly CollectFailure[];
}

/** Reads images where they were built, or upstream. */
export function upstreamOf(registries: Registries): RunContent['sourceOf'] {
  return ({ image }) => image.from ?? registries.source(image.source);
}

/** Asks the mirror whether it has an image. */
export function presentIn(ctx: Context, registries: Registries) {
  return ({ target }: MirroredImage, root: Descriptor): Promise<boolean> =>
    registries.repository(target.registry, target.repository).has(ctx, root);
}

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
