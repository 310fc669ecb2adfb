import type { ContentKind } from '../../content/content-image.ts';
import { formatReference, parseReference, type Reference } from '../../oci/reference.ts';

/** One image the cluster will pull, under the name it will use, and why. */
export interface WantedImage {
  readonly kind: ContentKind;
  readonly reference: Reference;
  /** The reference as text: what nodes and people call it. */
  readonly name: string;
  readonly reason: string;
  readonly component?: string | undefined;
  /** Version of the release it is or belongs to. */
  readonly release?: string | undefined;
  readonly packages?: readonly string[] | undefined;
}

/** Whether an image is part of a release. */
export const isPayload = ({ kind }: Pick<WantedImage, 'kind'>): boolean =>
  kind === 'release' || kind === 'component';

export function wantedImage(
  kind: ContentKind,
  reference: Reference | string,
  reason: string,
  more: Pick<WantedImage, 'component' | 'release' | 'packages'> = {},
): WantedImage {
  const parsed = typeof reference === 'string' ? parseReference(reference) : reference;
  return { kind, reference: parsed, name: formatReference(parsed), reason, ...more };
}

/** Each image once, in the order of the list; the first reason stays, what is known adds up. */
export function distinctImages(images: readonly WantedImage[]): WantedImage[] {
  const byName = new Map<string, WantedImage>();
  for (const image of images) {
    const known = byName.get(image.name);
    byName.set(image.name, known ? joined(known, image) : image);
  }
  return [...byName.values()];
}

function joined(a: WantedImage, b: WantedImage): WantedImage {
  const packages = [...new Set([...(a.packages ?? []), ...(b.packages ?? [])])].toSorted();
  return {
    ...b,
    ...a,
    release: a.release ?? b.release,
    ...(packages.length > 0 ? { packages } : {}),
  };
}
