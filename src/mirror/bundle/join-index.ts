import { byFirst } from '../../core/order.ts';
import { joinNeeds } from '../need.ts';
import type { BundleImage, BundleIndex } from './bundle-index.ts';

type Content = Omit<BundleIndex, 'format' | 'id'>;

/** A grown bundle: what it held before and what came, sorted, each thing once. */
export function joinIndex(previous: BundleIndex | undefined, added: Content): Content {
  const before = new Map(previous?.blobs.map((blob) => [blob.digest, blob]));
  return {
    ...added,
    blobs: added.blobs.map((blob) => {
      const repository = blob.repository ?? before.get(blob.digest)?.repository;
      return repository === undefined ? blob : { ...blob, repository };
    }),
    ...joinDeltas(previous, added),
    since: [...new Set([...(previous?.since ?? []), ...added.since])].toSorted(),
    base: joined(previous?.base, added.base, ({ digest }) => digest),
    images: joined(previous?.images, added.images, nameOf, withNeeds),
    attachments: joined(
      previous?.attachments,
      added.attachments,
      ({ of, digest, tag }) => `${of} ${digest} ${tag ?? ''}`,
    ),
    signatures: joined(
      previous?.signatures,
      added.signatures,
      ({ digest, base64 }) => `${digest} ${base64}`,
    ),
  };
}

/** Absent where there are none, so that a bundle without deltas is what it always was. */
function joinDeltas(previous: BundleIndex | undefined, added: Content): Pick<Content, 'deltas'> {
  const deltas = joined(previous?.deltas, added.deltas ?? [], ({ digest }) => digest);
  return deltas.length === 0 ? {} : { deltas };
}

/** What tells apart the names images will have in a mirror: one image may have several. */
function nameOf({ source, kind, release, component, ...image }: BundleImage): string {
  const target = [image.targetRepository, image.targetTag];
  return [source, kind, release?.tag, component, ...target].join(' ');
}

/** What needed it before still does: the other side deletes by that. */
function withNeeds(before: BundleImage, image: BundleImage): BundleImage {
  const neededBy = joinNeeds(before.neededBy, image.neededBy);
  return neededBy.length === 0 ? image : { ...image, neededBy };
}

/** The later one wins where two have the same key, unless both have something to say. */
function joined<T>(
  before: readonly T[] | undefined,
  added: readonly T[],
  keyOf: (item: T) => string,
  join: (before: T, item: T) => T = (_before, item) => item,
): T[] {
  const byKey = new Map<string, T>();
  for (const item of [...(before ?? []), ...added]) {
    const known = byKey.get(keyOf(item));
    byKey.set(keyOf(item), known === undefined ? item : join(known, item));
  }
  return [...byKey].toSorted(byFirst).map(([, item]) => item);
}
