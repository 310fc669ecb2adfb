import type { ContentImage } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import { formatPlatform } from '../../oci/platform.ts';
import { formatReference } from '../../oci/reference.ts';
import { type Destination, findCollisions, refuseCollisions, targetOf } from '../destination.ts';
import type { MirroredImage } from '../image-rules.ts';
import { joinNeeds, needsOf } from '../need.ts';

/** Gives every image its place in the mirror. Nothing is copied when two would share one. */
export function placeImages(
  images: readonly ContentImage[],
  destination: Destination,
): MirroredImage[] {
  const placed = images.map((image) => ({ image, target: targetOf(destination, image) }));
  refuseCollisions(findCollisions(placed));
  return distinct(placed);
}

/** The same image at the same place, asked for twice, is one, and needed by both. */
function distinct(placed: readonly MirroredImage[]): MirroredImage[] {
  const seen = new Map<string, MirroredImage>();
  for (const each of placed) {
    const key = `${formatReference(each.image.source)} ${formatReference(each.target)}`;
    const first = seen.get(key) ?? each;
    const image = withPlatformsOf(first.image, each.image);
    seen.set(key, { ...first, image, neededBy: joinNeeds(first.neededBy, needsOf(each.image)) });
  }
  return [...seen.values()];
}

/** The platforms of both; all of them where one of the two is wanted whole. */
function withPlatformsOf(image: ContentImage, other: ContentImage): ContentImage {
  if (!image.platforms || image === other) return image;
  if (!other.platforms) return { ...image, platforms: undefined };
  const missing = other.platforms.filter(
    (wanted) => !image.platforms?.some((known) => formatPlatform(known) === formatPlatform(wanted)),
  );
  return missing.length === 0 ? image : { ...image, platforms: [...image.platforms, ...missing] };
}

/** Tells of places where an earlier run put an image of another repository: it will be replaced. */
export function warnOfReplaced(
  ctx: Context,
  placed: readonly MirroredImage[],
  known: readonly MirroredImage[],
): void {
  const earlier = new Map(known.map(({ target, image }) => [formatReference(target), image]));
  for (const { target, image } of placed) {
    const before = earlier.get(formatReference(target));
    if (!before || repositoryOf(before) === repositoryOf(image)) continue;
    ctx.emit({
      type: 'warning.raised',
      message: `${formatReference(target)} held ${formatReference(before.source)} and now gets ${formatReference(image.source)}`,
      hint: 'Give one of them a targetRepo or targetTag of its own to keep both',
    });
  }
}

const repositoryOf = ({ source }: ContentImage) => `${source.registry}/${source.repository}`;

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
