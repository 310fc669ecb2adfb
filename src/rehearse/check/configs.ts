import { readConfig } from '../../content/layers/image-config.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { Platform } from '../../oci/descriptor.ts';
import { isImage, type RawManifest } from '../../oci/manifest.ts';
import { formatPlatform } from '../../oci/platform.ts';
import type { Repository } from '../../remote/registries.ts';
import { isPayload } from '../images/wanted-image.ts';
import { damaged, type Lookup, missingPlatform, unreadable } from './content-holes.ts';
import type { Hole } from './hole.ts';

/** Artifacts have configs of their own kind, or none. */
const RUNNABLE = new Set([
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]);

/**
 * Reads the config of each image, as a runtime does before anything else. A payload for another
 * architecture is pulled, and then the bootstrap machine stops.
 */
export async function checkConfigs(
  ctx: Context,
  lookup: Lookup,
  repository: Repository,
  manifests: readonly RawManifest[],
  platforms: readonly Platform[],
): Promise<Hole[]> {
  const holes: Hole[] = [];
  for (const manifest of manifests) {
    if (!isImage(manifest) || !RUNNABLE.has(manifest.content.config.mediaType)) continue;
    try {
      const { os, architecture } = await readConfig(ctx, repository, manifest.content);
      if (!isPayload(lookup.image) || platforms.some((one) => one.architecture === architecture))
        continue;
      const wanted = platforms.map(formatPlatform).join(', ');
      const evidence = `${manifest.descriptor.digest} is for ${formatPlatform({ os, architecture })}`;
      holes.push(missingPlatform(lookup, wanted, evidence));
    } catch (error) {
      ctx.signal.throwIfAborted();
      const mismatch = error instanceof AtollError && error.code === 'CONTENT_MISMATCH';
      const words = messageOf(error);
      holes.push(mismatch ? damaged(lookup, 'layer', words) : unreadable(lookup, words));
    }
  }
  return holes;
}
