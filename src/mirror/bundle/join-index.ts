import type { BundleIndex } from './bundle-index.ts';

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
    since: [...new Set([...(previous?.since ?? []), ...added.since])].toSorted(),
    base: joined(previous?.base, added.base, ({ digest }) => digest),
    images: joined(previous?.images, added.images, (image) =>
      [image.source, image.kind, image.component, image.targetRepository, image.targetTag].join(
        ' ',
      ),
    ),
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

/** The later one wins where two have the same key. */
function joined<T>(
  before: readonly T[] | undefined,
  added: readonly T[],
  keyOf: (item: T) => string,
): T[] {
  const byKey = new Map([...(before ?? []), ...added].map((item) => [keyOf(item), item]));
  return [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
