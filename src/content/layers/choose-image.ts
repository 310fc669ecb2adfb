import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import { isIndex, type RawManifest } from '../../oci/manifest.ts';
import { formatPlatform, matchesPlatform, selectPlatforms } from '../../oci/platform.ts';

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
    const children = candidates(manifest.content.manifests, platform);
    const found = depth < MAX_DEPTH ? await firstThere(ctx, source, children) : undefined;
    if (!found) throw noPlatform(descriptor, platform, manifest);
    manifest = found;
  }
  return manifest;
}

function candidates(
  children: readonly Descriptor[],
  platform: Platform | typeof ANY_PLATFORM,
): readonly Descriptor[] {
  // Attestations sit in indexes as "unknown/unknown".
  const images = children.filter((child) => child.platform?.os !== 'unknown');
  if (platform !== ANY_PLATFORM) return selectPlatforms(images, [platform]).slice(0, 1);
  const isUsual = (child: Descriptor) => matchesPlatform(AMD64, child.platform);
  return [...images.filter(isUsual), ...images.filter((child) => !isUsual(child))];
}

const ABSENT = new Set<string>(['CONTENT_MISSING', 'IMAGE_UNKNOWN']);

/** A sparse index names images that its registry does not have. */
async function firstThere(
  ctx: Context,
  source: Source,
  children: readonly Descriptor[],
): Promise<RawManifest | undefined> {
  for (const [index, child] of children.entries()) {
    try {
      return await source.manifest(ctx, child);
    } catch (error) {
      const isAbsent = error instanceof AtollError && ABSENT.has(error.code);
      if (!isAbsent || index === children.length - 1) throw error;
    }
  }
  return undefined;
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
