import { by } from '../../../core/order.ts';
import type { Bundle, Catalog } from '../model/catalog.ts';
import type { Requirement } from '../model/requirement.ts';
import { findMissing, type Market } from './find-missing.ts';
import { Offer } from './offer.ts';
import { Providers } from './providers.ts';
import { addWant, type PackageWants, type SelectedPackage, type Unmet } from './selection.ts';

/** Connects the channels of what is wanted; packages that cannot be are reported and left out. */
export type Settle = (
  wants: ReadonlyMap<string, PackageWants>,
) => ReadonlyMap<string, SelectedPackage>;

export interface Closed {
  readonly packages: ReadonlyMap<string, SelectedPackage>;
  readonly unmet: readonly Unmet[];
}

/**
 * Adds what the chosen bundles need, and what that needs, until nothing is missing. It only ever adds, in
 * the order of names, so the result depends on nothing but the catalog and the first choice.
 */
export function closeDependencies(
  catalog: Catalog,
  wants: Map<string, PackageWants>,
  settle: Settle,
): Closed {
  const providers = new Providers(catalog);
  for (;;) {
    const packages = settle(wants);
    const selected = bundlesOf(catalog, packages);
    const market: Market = {
      selected: new Offer(selected),
      providers,
      isUsable: ({ package: name }) => packages.has(name) || !wants.has(name),
      isNear: ({ package: name }) => packages.has(name),
    };
    const unmet: Unmet[] = [];
    const before = countOf(wants);
    for (const bundle of selected) {
      for (const requirement of bundle.requires) {
        if (!add(bundle, requirement, market, wants))
          unmet.push({ bundle: bundle.name, requirement });
      }
    }
    if (countOf(wants) === before) return { packages, unmet };
  }
}

function bundlesOf(
  { packages }: Catalog,
  selected: ReadonlyMap<string, SelectedPackage>,
): readonly Bundle[] {
  return [...selected.values()]
    .toSorted(by(({ name }) => name))
    .flatMap(({ name, bundles }) =>
      bundles.flatMap((bundle) => packages.get(name)?.bundles.get(bundle.name) ?? []),
    );
}

function add(
  bundle: Bundle,
  requirement: Requirement,
  market: Market,
  wants: Map<string, PackageWants>,
): boolean {
  const missing = findMissing(requirement, market);
  for (const { bundle: found, channel } of missing ?? []) {
    const known = wants.get(found.package) ?? {
      channels: new Map(),
      defaultChannel: undefined,
      isDependency: true,
    };
    wants.set(found.package, known);
    const reason = { kind: 'dependency' as const, channel, neededBy: bundle.name, requirement };
    addWant(known.channels, found.name, reason);
  }
  return missing !== undefined;
}

/** Wanted bundles in all channels: it grows until all is there. */
function countOf(wants: ReadonlyMap<string, PackageWants>): number {
  let count = 0;
  for (const { channels } of wants.values()) {
    for (const bundles of channels.values()) count += bundles.size;
  }
  return count;
}
