import type { ContentImage } from '../../content/content-image.ts';
import { formatReference } from '../../oci/reference.ts';
import { type Destination, findCollisions, refuseCollisions, targetOf } from '../destination.ts';
import type { MirroredImage } from '../image-rules.ts';

/** Gives every image its place in the mirror. Nothing is copied when two would share one. */
export function placeImages(
  images: readonly ContentImage[],
  destination: Destination,
): MirroredImage[] {
  const placed = images.map((image) => ({ image, target: targetOf(destination, image) }));
  refuseCollisions(findCollisions(placed));
  return distinct(placed);
}

/** The same image at the same place, asked for twice, is one. */
function distinct(placed: readonly MirroredImage[]): MirroredImage[] {
  const seen = new Map<string, MirroredImage>();
  for (const each of placed) {
    const key = `${formatReference(each.image.source)} ${formatReference(each.target)}`;
    if (!seen.has(key)) seen.set(key, each);
  }
  return [...seen.values()];
}

/** `mapping.txt`: `source=target`, one image a line, sorted. */
export function mappingText(placed: readonly MirroredImage[]): string {
  return placed
    .map(
      ({ image, target }) =>
        `docker://${formatReference(image.source)}=docker://${formatReference(target)}\n`,
    )
    .toSorted()
    .join('');
}
