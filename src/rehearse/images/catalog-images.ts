import type { Bundle } from '../../content/catalog/model/catalog.ts';
import { openCatalog } from '../../content/catalog/open-catalog.ts';
import { readCatalog } from '../../content/catalog/read-catalog.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import type { FoundImage } from '../node/find-image.ts';
import { type WantedImage, wantedImage } from './wanted-image.ts';

/** Bundles of a catalog as it stands in the mirror, and the images they bring. */
export async function catalogImages(
  ctx: Context,
  reference: Reference,
  { repository: source, descriptor: root }: FoundImage,
  packages: readonly string[],
): Promise<WantedImage[]> {
  const open = await openCatalog(ctx, { source, root, reference, isLayout: false });
  const { catalog } = await readCatalog(ctx, open);
  refuseUnknown(packages, [...catalog.packages.keys()], reference);
  const chosen = [...catalog.packages.values()].filter(
    ({ name }) => packages.length === 0 || packages.includes(name),
  );
  return chosen.flatMap(({ bundles }) => [...bundles.values()].flatMap(bundleImages));
}

function bundleImages({ name, package: owner, image, relatedImages }: Bundle): WantedImage[] {
  const packages = [owner];
  const bundle = image ? [wantedImage('bundle', image.trim(), `bundle ${name}`, { packages })] : [];
  const related = relatedImages
    .filter((each) => each.image !== image)
    .map((each) => wantedImage('related', each.image.trim(), `operand of ${name}`, { packages }));
  return [...bundle, ...related];
}

function refuseUnknown(
  wanted: readonly string[],
  known: readonly string[],
  catalog: Reference,
): void {
  const missing = wanted.find((name) => !known.includes(name));
  if (missing === undefined) return;
  const near = nearest(missing, known);
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot find package "${missing}" in ${formatReference(catalog)}`,
    { hint: near ? `Did you mean "${near}"?` : `It has ${known.join(', ')}` },
  );
}
