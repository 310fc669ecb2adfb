import type { CollectDeps } from '../../content/collecting.ts';
import type { Collection } from '../../content/content-image.ts';
import type { ImageSet } from '../../content/image-set/image-set.ts';
import type { Context } from '../../core/context.ts';
import type { Registries } from '../../remote/registries.ts';
import type { Destination } from '../destination.ts';
import type { MirroredImage } from '../image-rules.ts';
import { readCatalogTemplates } from './catalog-template.ts';
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
  const { content, placed } = await collectPlaced(ctx, options);
  return mirrorImages(ctx, placed, {
    ...options,
    flow: 'sync',
    sourceOf: ({ image }) => image.from ?? options.registries.source(image.source),
    signatures: content.signatures,
    failures: content.failures,
    title: 'Mirroring images',
  });
}

/** What a sync would do: names, bytes, what is missing. Nothing is copied. */
export async function planSync(ctx: Context, options: SyncOptions): Promise<DryRun> {
  const { registries, workingDir } = options;
  const { content, placed } = await collectPlaced(ctx, options);
  return dryRun(ctx, placed, {
    workingDir,
    failures: content.failures,
    sourceOf: ({ image }) => image.from ?? registries.source(image.source),
    isThere: ({ target }, root) =>
      registries.repository(target.registry, target.repository).has(ctx, root),
  });
}

type Collecting = Pick<SyncOptions, 'imageSet' | 'collect' | 'destination'>;

/** Everything the image set asks for, each image at its place. */
export async function collectPlaced(
  ctx: Context,
  { imageSet, collect, destination }: Collecting,
): Promise<{ readonly content: Collection; readonly placed: readonly MirroredImage[] }> {
  const templateOf = await readCatalogTemplates(imageSet);
  const content = await collectContent(ctx, imageSet, collect, destination);
  const placed = placeImages(content.images, destination);
  return {
    content,
    placed: placed.map((each) => {
      const catalogTemplate = templateOf(each.image);
      return catalogTemplate ? { ...each, catalogTemplate } : each;
    }),
  };
}
