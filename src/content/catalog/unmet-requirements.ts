import type { CollectWarning } from '../content-image.ts';
import type { Catalog } from './model/catalog.ts';
import { formatRequirement, type Requirement } from './model/requirement.ts';
import { Offer } from './select/offer.ts';
import type { Selection } from './select/selection.ts';

export interface NamedCatalog {
  /** As the configuration writes it. */
  readonly name: string;
  readonly catalog: Catalog;
  readonly selection: Selection;
}

/** What no bundle of its own catalog offers. Another catalog may: then it is said which. */
export function unmetWarnings(all: readonly NamedCatalog[]): CollectWarning[] {
  if (all.every(({ selection }) => selection.unmet.length === 0)) return [];
  const offers = all.map((resolved) => ({
    name: resolved.name,
    selected: new Offer(selectedBundles(resolved)),
    whole: new Offer(
      [...resolved.catalog.packages.values()].flatMap(({ bundles }) => [...bundles.values()]),
    ),
  }));
  return all.flatMap(({ name, selection }) =>
    selection.unmet
      .filter(({ requirement }) =>
        offers.every(({ selected }) => selected.meeting(requirement).length === 0),
      )
      .map(({ bundle, requirement }) => ({
        subject: `catalog ${name}`,
        message: `${bundle} needs ${formatRequirement(requirement)}, which nothing in ${name} offers`,
        hint: hintFor(requirement, offers),
      })),
  );
}

function selectedBundles({ catalog, selection }: NamedCatalog) {
  return selection.packages.flatMap(({ name, bundles }) =>
    bundles.flatMap((bundle) => catalog.packages.get(name)?.bundles.get(bundle.name) ?? []),
  );
}

function hintFor(
  requirement: Requirement,
  offers: readonly { readonly name: string; readonly whole: Offer }[],
): string {
  for (const { name, whole } of offers) {
    const [found] = whole.meeting(requirement);
    if (found) return `Add package ${found.package} of ${name}`;
  }
  return 'Add the catalog that has it, or take other versions; --no-dependencies does not look';
}
