import { isObject } from '../../../core/shape.ts';
import { type ApiKind, formatApiKind } from './api-kind.ts';
import { fieldOf, listAt, textAt } from './fields.ts';
import { parseVersionRange } from './version-range.ts';

/** What a bundle needs of others before it can be installed. */
export type Requirement =
  | { readonly kind: 'package'; readonly package: string; readonly range: string }
  | { readonly kind: 'api'; readonly api: ApiKind }
  | { readonly kind: 'all' | 'any' | 'not'; readonly of: readonly Requirement[] }
  /** Written in a language this tool does not evaluate. */
  | { readonly kind: 'rule'; readonly rule: string }
  /** Cannot be read. */
  | { readonly kind: 'broken'; readonly found: string };

const MAX_DEPTH = 16;

/** What a property of a bundle requires; undefined when it is no requirement. */
export function parseRequirement(type: string, value: unknown): Requirement | undefined {
  if (type === 'olm.package.required') return packageRequirement(value);
  if (type === 'olm.gvk.required') return apiRequirement(value);
  return type === 'olm.constraint' ? constraint(value, 0) : undefined;
}

function packageRequirement(value: unknown): Requirement {
  const name = textAt(value, 'packageName');
  const range = textAt(value, 'versionRange');
  if (!name) return broken('a required package without a name');
  if (range && !parseVersionRange(range)) {
    return broken(`package ${name} in the range "${range}", which cannot be read`);
  }
  return { kind: 'package', package: name, range: range ?? '' };
}

function apiRequirement(value: unknown): Requirement {
  const api = parseApiKind(value);
  return api ? { kind: 'api', api } : broken('a required API without a kind or a version');
}

/** Undefined when kind or version is missing; the core group has no name. */
export function parseApiKind(value: unknown): ApiKind | undefined {
  const [group = '', version, kind] = ['group', 'version', 'kind'].map((key) => textAt(value, key));
  return version && kind ? { group, version, kind } : undefined;
}

const COMPOUNDS = { all: 'all', any: 'any', not: 'not', none: 'not' } as const;

function constraint(value: unknown, depth: number): Requirement {
  if (!isObject(value) || depth > MAX_DEPTH) return broken('a constraint that cannot be read');
  if (fieldOf(value, 'package') !== undefined) return packageRequirement(fieldOf(value, 'package'));
  if (fieldOf(value, 'gvk') !== undefined) return apiRequirement(fieldOf(value, 'gvk'));
  for (const [key, kind] of Object.entries(COMPOUNDS)) {
    const inner = fieldOf(value, key);
    if (inner === undefined) continue;
    const parts = listAt(inner, 'constraints');
    if (parts.length === 0) return broken(`an empty "${key}" constraint`);
    return { kind, of: parts.map((part) => constraint(part, depth + 1)) };
  }
  const rule = textAt(fieldOf(value, 'cel'), 'rule');
  return rule === undefined ? broken('a constraint of an unknown kind') : { kind: 'rule', rule };
}

const broken = (found: string): Requirement => ({ kind: 'broken', found });

/** `package ocs-operator >=4.18.0 <4.19.0`, `all of (…, …)`: for messages. */
export function formatRequirement(requirement: Requirement): string {
  switch (requirement.kind) {
    case 'package':
      return `package ${requirement.package} ${requirement.range}`.trimEnd();
    case 'api':
      return `API ${formatApiKind(requirement.api)}`;
    case 'rule':
      return `CEL rule ${JSON.stringify(requirement.rule)}`;
    case 'broken':
      return requirement.found;
    default: {
      const words = { all: 'all of', any: 'any of', not: 'none of' }[requirement.kind];
      return `${words} (${requirement.of.map(formatRequirement).join(', ')})`;
    }
  }
}
