import type { Descriptor } from './descriptor.ts';
import { type Digest, isDigest, splitDigest } from './digest.ts';
import { isImage, type RawManifest } from './manifest.ts';

/** The tag under which registries without a referrers API keep the list of a subject's referrers. */
export function referrersTag(subject: Digest): string {
  const { algorithm, hex } = splitDigest(subject);
  return `${algorithm}-${hex.slice(0, 64)}`;
}

/** What cosign appends to the name of an image's digest. */
const SUFFIXES = ['sig', 'att', 'sbom'] as const;
/** The tags under which cosign keeps what belongs to an image. */
export function signatureTags(subject: Digest): string[] {
  const { algorithm, hex } = splitDigest(subject);
  return SUFFIXES.map((suffix) => `${algorithm}-${hex}.${suffix}`);
}

const SIGNATURE_TAG = /^(?<algorithm>sha256|sha512)-(?<hex>[0-9a-f]+)\.(?:sig|att|sbom)$/;

/** The digest of the image that a tag of cosign belongs to; undefined for every other tag. */
export function signedDigest(tag: string): Digest | undefined {
  const { algorithm, hex } = SIGNATURE_TAG.exec(tag)?.groups ?? {};
  const digest = `${algorithm}:${hex}`;
  return isDigest(digest) ? digest : undefined;
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
