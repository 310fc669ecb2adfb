import type { ContentImage } from '../../content/content-image.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';

/**
 * Who needs an image, as stable keys: a release, a bundle of a catalog, a line of the image set. An
 * image goes when nobody needs it any more.
 */
export function needsOf(image: ContentImage): string[] {
  switch (image.kind) {
    case 'release':
    case 'component':
    case 'kubevirt':
      return [`release ${image.release?.tag ?? formatReference(image.source)}`];
    case 'bundle':
    case 'related':
      return bundleNeeds(image);
    case 'catalog':
      return [`catalog ${image.catalog ?? formatReference(image.source)}`];
    case 'helm':
      return [`chart ${image.chart ?? formatReference(image.source)}`];
    case 'graph':
      return ['graph'];
    case 'additional':
      return [additionalNeed(image.source, image.targetRepository, image.targetTag)];
  }
}

/** A line of `additionalImages`: the same image at another place is another line. */
export function additionalNeed(
  source: Reference,
  repository: string | undefined,
  tag: string | undefined,
): string {
  const place = (repository ?? tag) ? ` at ${repository ?? ''}:${tag ?? ''}` : '';
  return `additional ${formatReference(source)}${place}`;
}

function bundleNeeds({ catalog = '', packages = [], bundles = [] }: ContentImage): string[] {
  if (bundles.length > 0) return bundles.map((name) => `bundle ${catalog} ${name}`);
  return packages.map((name) => `package ${catalog} ${name}`);
}

/** Both lists as one, sorted, each need once. */
export function joinNeeds(...lists: readonly (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))].toSorted();
}
