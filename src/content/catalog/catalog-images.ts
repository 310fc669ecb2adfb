import { AtollError } from '../../core/errors.ts';
import { byFirst } from '../../core/order.ts';
import type { Platform } from '../../oci/descriptor.ts';
import { formatReference, parseReference, type Reference } from '../../oci/reference.ts';
import { failureOf } from '../collecting.ts';
import type { CollectFailure, ContentImage } from '../content-image.ts';
import type { Bundle, Catalog } from './model/catalog.ts';
import { formatReason, type SelectedBundle, type Selection } from './select/selection.ts';

/** What the images of one catalog have in common. */
export interface ImageCommon {
  /** The catalog, as the configuration writes it. */
  readonly catalog: string;
  readonly platforms: readonly Platform[] | undefined;
}

export interface BundleImages {
  readonly images: readonly ContentImage[];
  readonly failures: readonly CollectFailure[];
}

/** The images of all chosen bundles, each once. A bundle with a reference that cannot be read fails alone. */
export function bundleImages(
  catalog: Catalog,
  { packages }: Selection,
  common: ImageCommon,
): BundleImages {
  const uses = new Map<string, Use[]>();
  const failures: CollectFailure[] = [];
  for (const selected of packages.flatMap(({ bundles }) => bundles)) {
    const bundle = catalog.packages.get(selected.package)?.bundles.get(selected.name);
    if (!bundle) continue;
    try {
      for (const use of usesOf(bundle, selected)) {
        const key = formatReference(use.reference);
        const known = uses.get(key);
        if (known) known.push(use);
        else uses.set(key, [use]);
      }
    } catch (error) {
      failures.push(failureOf(`bundle ${bundle.name}`, error));
    }
  }
  const sorted = [...uses].toSorted(byFirst);
  return { images: sorted.map(([, each]) => imageOf(each, common)), failures };
}

/** One bundle that needs an image. */
interface Use {
  readonly reference: Reference;
  readonly bundle: Bundle;
  readonly kind: 'bundle' | 'related';
  readonly reason: string;
}

/** All of a bundle's images, or an error: half a bundle is of no use. */
function usesOf(bundle: Bundle, { reasons }: SelectedBundle): Use[] {
  const why = reasons.map(formatReason);
  const own: Use[] = bundle.image
    ? [
        {
          reference: referenceOf(bundle, bundle.image),
          bundle,
          kind: 'bundle',
          reason: `bundle ${bundle.name}, ${[...new Set(why)].slice(0, 3).join('; ')}`,
        },
      ]
    : [];
  const related = bundle.relatedImages.map(({ name, image }): Use => {
    const reason = `${name === '' ? 'related image' : name} of ${bundle.name}`;
    return { reference: referenceOf(bundle, image), bundle, kind: 'related', reason };
  });
  return [...own, ...related];
}

function referenceOf(bundle: Bundle, image: string): Reference {
  try {
    return parseReference(image.trim());
  } catch (cause) {
    throw new AtollError(
      'REFERENCE_INVALID',
      `Cannot mirror ${bundle.name}: its image "${image}" is not a reference`,
      { cause, hint: 'Choose other versions of the package, or tell who publishes the catalog' },
    );
  }
}

function imageOf(uses: readonly Use[], common: ImageCommon): ContentImage {
  const first = uses.find(({ kind }) => kind === 'bundle') ?? (uses[0] as Use);
  const bundles = [...new Set(uses.map(({ bundle }) => bundle.name))].toSorted();
  const others = bundles.length - 1;
  return {
    ...common,
    kind: first.kind,
    source: first.reference,
    digest: first.reference.digest,
    reason: others > 0 ? `${first.reason}, and ${others} more` : first.reason,
    packages: [...new Set(uses.map(({ bundle }) => bundle.package))].toSorted(),
    bundles,
    sigstore: 'wanted',
  };
}
