import type { Context } from '../../core/context.ts';
import type { Digest } from '../../oci/digest.ts';
import { isIndexType, isManifestType } from '../../oci/media-types.ts';
import type { Repository } from '../../remote/registries.ts';
import { tagsOf } from './list-tags.ts';

/** Removes tags, and the manifests that no other tag of the repository leads to then. */
export async function removeTags(
  ctx: Context,
  repository: Repository,
  tags: readonly string[],
): Promise<void> {
  const going = new Set(tags);
  const lost = new Set<Digest>();
  for (const tag of tags) for (const digest of await treeOf(ctx, repository, tag)) lost.add(digest);
  for (const tag of await tagsOf(ctx, repository)) {
    if (going.has(tag)) continue;
    for (const digest of await treeOf(ctx, repository, tag)) lost.delete(digest);
  }
  for (const tag of tags) await repository.remove(ctx, tag);
  // An index before its images: nobody sees one of which a part is gone.
  for (const digest of lost) {
    for (const each of await repository.referrers(ctx, digest)) {
      await repository.remove(ctx, each.digest);
    }
    await repository.remove(ctx, digest);
  }
}

/** The manifest and those below it, top first. */
async function treeOf(
  ctx: Context,
  repository: Repository,
  reference: string,
): Promise<readonly Digest[]> {
  const root = await repository.resolve(ctx, reference);
  if (!root) return [];
  if (!isIndexType(root.mediaType)) return [root.digest];
  const { children } = await repository.manifest(ctx, root);
  const below = children.filter(({ mediaType }) => isManifestType(mediaType));
  const trees: Digest[] = [root.digest];
  for (const { digest } of below) trees.push(...(await treeOf(ctx, repository, digest)));
  return trees;
}
