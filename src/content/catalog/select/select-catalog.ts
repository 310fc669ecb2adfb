import { by } from '../../../core/order.ts';
import { failureOf } from '../../collecting.ts';
import type { CollectFailure, CollectWarning } from '../../content-image.ts';
import type { OperatorCatalog, OperatorPackage } from '../../image-set/image-set.ts';
import type { Catalog } from '../model/catalog.ts';
import { closeDependencies, type Settle } from './close-dependencies.ts';
import type { PackageWants, SelectedPackage, Selection } from './selection.ts';
import { selectionWarnings } from './selection-warnings.ts';
import { settlePackage } from './settle-package.ts';
import { findPackage, wantPackage } from './want-package.ts';

export type CatalogRequest = Pick<OperatorCatalog, 'packages' | 'full'>;

export interface SelectOptions {
  /** Whether what the chosen bundles need comes along. */
  readonly dependencies: boolean;
}

/** Chooses what is asked for. A package that cannot be chosen is a failure; the others are chosen. */
export function selectCatalog(
  catalog: Catalog,
  request: CatalogRequest,
  { dependencies }: SelectOptions,
): Selection {
  const failures = new Map<string, CollectFailure>();
  const warnings: CollectWarning[] = [];
  const wants = new Map<string, PackageWants>();
  for (const wanted of requestsOf(catalog, request)) {
    try {
      const found = wantPackage(findPackage(catalog, wanted.name), wanted, request.full);
      wants.set(wanted.name, found.wants);
      warnings.push(...found.warnings);
    } catch (error) {
      failures.set(wanted.name, failureOf(`package ${wanted.name}`, error));
    }
  }
  const settle = settleEach(catalog, failures);
  const { packages, unmet } = dependencies
    ? closeDependencies(catalog, wants, settle)
    : { packages: settle(wants), unmet: [] };
  const chosen = [...packages.values()].toSorted(by(({ name }) => name));
  return {
    packages: chosen,
    warnings: [...warnings, ...selectionWarnings(catalog, chosen, dependencies)],
    failures: [...failures.values()],
    unmet,
  };
}

function settleEach(catalog: Catalog, failures: Map<string, CollectFailure>): Settle {
  return (wants) => {
    const settled = new Map<string, SelectedPackage>();
    for (const [name, wanted] of wants) {
      if (failures.has(name)) continue;
      try {
        settled.set(name, settlePackage(findPackage(catalog, name), wanted));
      } catch (error) {
        failures.set(name, failureOf(`package ${name}`, error));
      }
    }
    return settled;
  };
}

function requestsOf(catalog: Catalog, { packages }: CatalogRequest): readonly OperatorPackage[] {
  if (packages.length > 0) return packages;
  return [...catalog.packages.keys()].map((name) => ({
    name,
    defaultChannel: undefined,
    channels: [],
    minVersion: undefined,
    maxVersion: undefined,
    minBundle: undefined,
  }));
}
