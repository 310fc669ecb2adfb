import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import { isIndex, type RawManifest } from '../../oci/manifest.ts';
import { formatPlatform, matchesPlatform } from '../../oci/platform.ts';

const MAX_DEPTH = 3;

/** Any one platform: for content that is the same in all of them (payload manifests, catalogs). */
export const ANY_PLATFORM = 'any';

/** The image manifest behind a descriptor: itself, or the child of an index for this platform. */
export async function chooseImage(
  ctx: Context,
  source: Source,
  descriptor: Descriptor,
  platform: Platform | typeof ANY_PLATFORM,
): Promise<RawManifest> {
  let manifest = await source.manifest(ctx, descriptor);
  for (let depth = 0; isIndex(manifest); depth += 1) {
    const child = chooseChild(manifest.content.manifests, platform);
    if (!child || depth >= MAX_DEPTH) throw noPlatform(descriptor, platform, manifest);
    manifest = await source.manifest(ctx, child);
  }
  return manifest;
}

function chooseChild(
  children: readonly Descriptor[],
  platform: Platform | typeof ANY_PLATFORM,
): Descriptor | undefined {
  // Attestations sit in indexes as "unknown/unknown".
  const images = children.filter((child) => child.platform?.os !== 'unknown');
  if (platform !== ANY_PLATFORM)
    return images.find((child) => matchesPlatform(platform, child.platform));
  return images.find((child) => matchesPlatform(AMD64, child.platform)) ?? images[0];
}

const AMD64: Platform = { os: 'linux', architecture: 'amd64' };

function noPlatform(
  { digest }: Descriptor,
  platform: Platform | typeof ANY_PLATFORM,
  manifest: RawManifest,
): AtollError {
  const wanted = platform === ANY_PLATFORM ? 'any platform' : shown(platform);
  const has = manifest.children.map((child) => shown(child.platform)).join(', ') || 'none';
  return new AtollError('IMAGE_UNKNOWN', `Cannot use ${digest} for ${wanted}: it has ${has}`, {
    details: { digest },
  });
}

function shown(platform: Platform | undefined): string {
  return platform ? formatPlatform(platform) : 'an unnamed platform';
}
