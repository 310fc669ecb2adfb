import { readConfig } from '../../content/layers/image-config.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { isImage, type RawManifest } from '../../oci/manifest.ts';
import type { Repository } from '../../remote/registries.ts';
import { damaged, type Lookup, unreadable } from './content-holes.ts';
import type { Hole } from './hole.ts';

/** Artifacts have configs of their own kind, or none. */
const RUNNABLE = new Set([
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]);

/** Reads the config of each image, as a runtime does before anything else. */
export async function checkConfigs(
  ctx: Context,
  lookup: Lookup,
  repository: Repository,
  manifests: readonly RawManifest[],
): Promise<Hole[]> {
  const holes: Hole[] = [];
  for (const manifest of manifests) {
    if (!isImage(manifest) || !RUNNABLE.has(manifest.content.config.mediaType)) continue;
    try {
      await readConfig(ctx, repository, manifest.content);
    } catch (error) {
      ctx.signal.throwIfAborted();
      const mismatch = error instanceof AtollError && error.code === 'CONTENT_MISMATCH';
      const words = messageOf(error);
      holes.push(mismatch ? damaged(lookup, 'layer', words) : unreadable(lookup, words));
    }
  }
  return holes;
}
