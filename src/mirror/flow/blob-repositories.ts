import { by } from '../../core/order.ts';
import type { Digest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import type { CopyReport } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';

/**
 * A repository of the mirror for each piece of content, so that a later delta can mount what it
 * counts on. The first image that needs it, in the order of the images, decides.
 */
export function blobRepositories(
  placed: readonly MirroredImage[],
  copy: CopyReport,
  manifests: ReadonlyMap<Digest, RawManifest>,
): ReadonlyMap<string, string> {
  const repositories = new Map<string, string>();
  const visit = (digest: Digest, repository: string): void => {
    if (repositories.has(digest)) return;
    repositories.set(digest, repository);
    for (const child of manifests.get(digest)?.children ?? []) visit(child.digest, repository);
  };
  const ordered = placed
    .map(({ target }, index) => ({ repository: target.repository, result: copy.images[index] }))
    .toSorted(by(({ repository }) => repository));
  for (const { repository, result } of ordered) {
    if (result?.digest && result.outcome !== 'failed') visit(result.digest, repository);
  }
  return repositories;
}
