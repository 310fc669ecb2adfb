import { basename } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { mapBounded } from '../core/pool.ts';
import { formatReference, tagOrDigestOf } from '../oci/reference.ts';
import { type CollectDeps, failureOf } from './collecting.ts';
import {
  type Collection,
  type ContentImage,
  EMPTY_COLLECTION,
  mergeCollections,
} from './content-image.ts';
import type { AdditionalImage, ImageSet } from './image-set/image-set.ts';

const AT_ONCE = 8;

/** The images listed under `additionalImages`, each resolved to what it is now. */
export async function collectAdditionalImages(
  ctx: Context,
  { additionalImages }: ImageSet,
  deps: Pick<CollectDeps, 'source'>,
): Promise<Collection> {
  const unique = new Map(
    additionalImages.map((image) => [
      [image.name, image.targetRepo, image.targetTag, JSON.stringify(image.platforms)].join(' '),
      image,
    ]),
  );
  const collected = await mapBounded(ctx, AT_ONCE, [...unique.values()], async (wanted) => {
    try {
      return { ...EMPTY_COLLECTION, images: [await findImage(ctx, wanted, deps)] };
    } catch (error) {
      ctx.signal.throwIfAborted();
      return { ...EMPTY_COLLECTION, failures: [failureOf(`additional ${wanted.name}`, error)] };
    }
  });
  return mergeCollections(collected);
}

async function findImage(
  ctx: Context,
  wanted: AdditionalImage,
  deps: Pick<CollectDeps, 'source'>,
): Promise<ContentImage> {
  const common = {
    kind: 'additional' as const,
    platforms: wanted.platforms,
    reason: `listed as ${wanted.name}`,
    targetRepository: wanted.targetRepo,
    targetTag: wanted.targetTag,
    sigstore: 'wanted' as const,
  };
  if (wanted.origin.kind === 'layout') {
    return { ...common, ...(await fromLayout(ctx, wanted.origin.path, wanted)) };
  }
  const { reference } = wanted.origin;
  const found = await deps.source(reference).resolve(ctx, tagOrDigestOf(reference));
  if (found) return { ...common, source: reference, digest: found.digest };
  throw new AtollError('IMAGE_UNKNOWN', `Cannot find ${formatReference(reference)}`, {
    hint: 'Check the name, and the mirrors in registries.conf',
  });
}

/** A layout has no registry: its folder gives the name, unless the file gives another. */
async function fromLayout(
  ctx: Context,
  path: string,
  { targetRepo, targetTag }: AdditionalImage,
): Promise<Pick<ContentImage, 'source' | 'digest' | 'from' | 'targetRepository' | 'targetTag'>> {
  const [{ openDiskStore }, { layoutRoot, layoutSource }] = await Promise.all([
    import('../store/disk/disk-store.ts'),
    import('../store/layout/source.ts'),
  ]);
  const store = await openDiskStore(path, { create: false });
  const { digest } = await layoutRoot(ctx, store);
  const repository = targetRepo ?? basename(path).toLowerCase();
  return {
    source: { registry: 'localhost', repository, digest },
    digest,
    from: layoutSource(store),
    targetRepository: repository,
    targetTag: targetTag ?? 'latest',
  };
}
