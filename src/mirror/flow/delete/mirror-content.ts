import type { Context } from '../../../core/context.ts';
import { counted } from '../../../core/format.ts';
import { mapBounded } from '../../../core/pool.ts';
import { Progress } from '../../../core/progress.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { isManifestType } from '../../../oci/media-types.ts';
import { signatureTags } from '../../../oci/referrers.ts';
import type { Registries, Repository } from '../../../remote/registries.ts';
import type { KnownImage } from '../working-dir.ts';

const AT_ONCE = 16;

/** What an image is made of at the mirror: only what is really there. */
export interface ImageContent {
  readonly image: KnownImage;
  /** The image and everything below it. */
  readonly tree: readonly Descriptor[];
  /** Signatures and other artifacts of it and its parts, with the tags that name them. */
  readonly attachments: readonly (Descriptor & { readonly tag?: string })[];
  /** What lies below the attachments. */
  readonly attached: readonly Descriptor[];
}

/** Reads what images are made of, at the mirror. */
export async function readContents(
  ctx: Context,
  registries: Registries,
  images: readonly KnownImage[],
): Promise<ImageContent[]> {
  const task = { id: 'delete', title: 'Reading the mirror', totalItems: images.length };
  const progress = new Progress(ctx, task);
  const contents = await mapBounded(ctx, AT_ONCE, images, async (image) => {
    const { registry, repository } = image.target;
    const content = await readContent(ctx, registries.repository(registry, repository), image);
    progress.addItem();
    return content;
  });
  progress.finish(counted(images.length, 'image'));
  return contents;
}

async function readContent(
  ctx: Context,
  repository: Repository,
  image: KnownImage,
): Promise<ImageContent> {
  const root = await repository.resolve(ctx, image.digest);
  if (!root) return { image, tree: [], attachments: [], attached: [] };
  const tree = await treeOf(ctx, repository, root);
  const manifests = tree.filter(({ mediaType }) => isManifestType(mediaType));
  const found = await Promise.all(manifests.map((each) => attachmentsOf(ctx, repository, each)));
  const attachments = found.flat();
  const below = await Promise.all(attachments.map((each) => treeOf(ctx, repository, each)));
  return { image, tree, attachments, attached: below.flat() };
}

async function attachmentsOf(
  ctx: Context,
  repository: Repository,
  { digest }: Descriptor,
): Promise<ImageContent['attachments']> {
  const tagged = signatureTags(digest).map(async (tag) => {
    const found = await repository.resolve(ctx, tag);
    return found ? [{ ...found, tag }] : [];
  });
  const referring = await repository.referrers(ctx, digest);
  return [...(await Promise.all(tagged)).flat(), ...referring];
}

/** A manifest and everything below it; of a sparse index only the parts that are there. */
export async function treeOf(
  ctx: Context,
  repository: Repository,
  root: Descriptor,
): Promise<Descriptor[]> {
  const found: Descriptor[] = [root];
  if (!isManifestType(root.mediaType)) return found;
  const { children } = await repository.manifest(ctx, root);
  for (const child of children) {
    const isManifest = isManifestType(child.mediaType);
    if (isManifest && !(await repository.has(ctx, child))) continue;
    found.push(...(await treeOf(ctx, repository, child)));
  }
  return found;
}
