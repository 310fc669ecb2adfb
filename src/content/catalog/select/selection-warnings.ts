import type { CollectWarning } from '../../content-image.ts';
import type { Catalog, Deprecation, Package } from '../model/catalog.ts';
import { formatRequirement } from '../model/requirement.ts';
import { unjudged } from './find-missing.ts';
import type { SelectedPackage } from './selection.ts';

/** What deserves a look in what was chosen: entries nobody asked for, old things, unreadable rules. */
export function selectionWarnings(
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
