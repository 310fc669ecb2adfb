import { formatReference } from '../oci/reference.ts';
import type { ContentImage } from './content-image.ts';
import type { BlockedImage } from './image-set/image-set.ts';

export interface BlockedSplit {
  readonly kept: readonly ContentImage[];
  readonly blocked: readonly { readonly image: ContentImage; readonly by: string }[];
}

/**
 * Takes out what `blockedImages` names. A pattern counts when it is found in the origin or, where the
 * target is known, in the destination, both without their transport.
 */
export function splitBlocked(
  images: readonly ContentImage[],
  patterns: readonly BlockedImage[],
  destinationOf: (image: ContentImage) => string | undefined = () => undefined,
): BlockedSplit {
  const kept: ContentImage[] = [];
  const blocked: { image: ContentImage; by: string }[] = [];
  for (const image of images) {
    const names = [...originsOf(image), destinationOf(image)];
    const by = patterns.find(({ pattern }) =>
      names.some((name) => name !== undefined && pattern.test(bare(name))),
    );
    if (by) blocked.push({ image, by: by.name });
    else kept.push(image);
  }
  return { kept, blocked };
}

/** By the name it was asked for under, and by digest: a pattern may mean either. */
function originsOf({ source, digest }: ContentImage): string[] {
  const named = formatReference(source);
  if (digest === undefined || source.digest !== undefined) return [named];
  return [named, formatReference({ ...source, tag: undefined, digest })];
}

function bare(name: string): string {
  return name.replace(/^[a-z-]+:\/\//, '');
}
