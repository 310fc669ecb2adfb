import type { CollectDeps } from '../../content/collecting.ts';
import type { ImageSet } from '../../content/image-set/image-set.ts';
import type { Context } from '../../core/context.ts';
import type { Registries } from '../../remote/registries.ts';
import type { Destination } from '../destination.ts';
import { collectContent } from './collect-content.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import { placeImages } from './placed-image.ts';
import type { WorkingDir } from './working-dir.ts';

export interface SyncOptions {
  readonly imageSet: ImageSet;
  readonly destination: Destination;
  readonly registries: Registries;
  readonly collect: CollectDeps;
  readonly workingDir: WorkingDir;
  readonly copySignatures?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly icsp?: boolean | undefined;
}

/** Upstream to mirror in one go: collect, place, copy, and write what the cluster needs. */
export async function syncMirror(ctx: Context, options: SyncOptions): Promise<MirrorResult> {
  const { imageSet, collect, destination, registries } = options;
  const content = await collectContent(ctx, imageSet, collect, destination);
  const placed = placeImages(content.images, destination);
  return mirrorImages(ctx, placed, {
    ...options,
    sourceOf: ({ image }) => image.from ?? registries.source(image.source),
    signatures: content.signatures,
    failures: content.failures,
    title: 'Mirroring images',
  });
}

/** What a sync would do: names, bytes, what is missing. Nothing is copied. */
export async function planSync(ctx: Context, options: SyncOptions): Promise<DryRun> {
  const { imageSet, collect, destination, registries, workingDir } = options;
  const content = await collectContent(ctx, imageSet, collect, destination);
  return dryRun(ctx, placeImages(content.images, destination), {
    workingDir,
    failures: content.failures,
    sourceOf: ({ image }) => image.from ?? registries.source(image.source),
    targetOf: ({ target }) => registries.repository(target.registry, target.repository),
  });
}
