import { by } from '../../../core/order.ts';
import { failureOf } from '../../collecting.ts';
import type { CollectFailure, CollectWarning } from '../../content-image.ts';
import type { OperatorCatalog, OperatorPackage } from '../../image-set/image-set.ts';
import type { Catalog, Deprecation, Package } from '../model/catalog.ts';
import { formatRequirement } from '../model/requirement.ts';
import { closeDependencies, type Settle } from './close-dependencies.ts';
import { unjudged } from './find-missing.ts';
import type { PackageWants, SelectedPackage, Selection } from './selection.ts';
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

/** What deserves a look in what was chosen: entries nobody asked for, old things, unreadable rules. */
function selectionWarnings(
  catalog: Catalog,
  chosen: readonly SelectedPackage[],
  dependencies: boolean,
): CollectWarning[] {
  return chosen.flatMap((selected) => {
    const from = catalog.packages.get(selected.name);
    if (!from) return [];
    return [
      ...linkWarnings(selected),
      ...deprecationWarnings(from, selected),
      ...(dependencies ? ruleWarnings(from, selected) : []),
    ];
  });
}

function linkWarnings({ name, bundles }: SelectedPackage): CollectWarning[] {
  const links = bundles.filter(({ reasons }) => reasons.every(({ kind }) => kind === 'link'));
  return links.map((bundle) => {
    const channels = bundle.reasons.map(({ channel }) => channel).join(', ');
    return {
      subject: `package ${name}`,
      message: `${bundle.name} is out of range and comes along: without it channel ${channels} would fall apart`,
    };
  });
}

function deprecationWarnings(
  { deprecations }: Package,
  { name, channels, bundles }: SelectedPackage,
): CollectWarning[] {
  const isKept = (deprecation: Deprecation) =>
    deprecation.schema === 'olm.package' ||
    (deprecation.schema === 'olm.channel' ? channels : bundles).some(
      (each) => each.name === deprecation.name,
    );
  return deprecations.filter(isKept).map(({ schema, name: what, message }) => ({
    subject: `package ${name}`,
    message: `${shown(schema, what, name)} is deprecated: ${message.trim().replaceAll(/\s+/g, ' ')}`,
  }));
}

function shown(schema: Deprecation['schema'], what: string, packageName: string): string {
  if (schema === 'olm.package') return `package ${packageName}`;
  return schema === 'olm.channel' ? `channel ${what}` : what;
}

function ruleWarnings({ bundles }: Package, selected: SelectedPackage): CollectWarning[] {
  return selected.bundles.flatMap(({ name }) => {
    const rules = (bundles.get(name)?.requires ?? []).flatMap(unjudged);
    return rules.map((rule) => ({
      subject: `package ${selected.name}`,
      message: `${name} needs something atoll cannot evaluate: ${formatRequirement(rule)}`,
      hint: 'Add the packages it means to the image set',
    }));
  });
}
