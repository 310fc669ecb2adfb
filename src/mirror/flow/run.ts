import type { CollectFailure } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Registries } from '../../remote/registries.ts';
import type { CopyOptions } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
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
