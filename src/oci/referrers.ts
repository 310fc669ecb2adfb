import type { Descriptor } from './descriptor.ts';
import { type Digest, splitDigest } from './digest.ts';
import { isImage, type RawManifest } from './manifest.ts';

/** The tag under which registries without a referrers API keep the list of a subject's referrers. */
export function referrersTag(subject: Digest): string {
  const { algorithm, hex } = splitDigest(subject);
  return `${algorithm}-${hex.slice(0, 64)}`;
}

/**
 * How a list of referrers describes a manifest: with its annotations, and the artifact type it
 * names or, for an image, the type of its config.
 */
export function referrerDescriptor(manifest: RawManifest): Descriptor {
  const { mediaType, digest, size } = manifest.descriptor;
  const { annotations } = manifest.content;
  const artifactType =
    manifest.content.artifactType ??
    (isImage(manifest) ? manifest.content.config.mediaType : undefined);
  return {
    mediaType,
    digest,
    size,
    ...(artifactType ? { artifactType } : {}),
    ...(annotations ? { annotations } : {}),
  };
}
