import { type ApiKind, sameApiKind } from '../model/api-kind.ts';
import type { Bundle } from '../model/catalog.ts';
import type { Requirement } from '../model/requirement.ts';
import { parseVersionRange, type VersionTest } from '../model/version-range.ts';

/** Whether one bundle alone is what the requirement asks for. What cannot be judged is let pass. */
export function meets(bundle: Bundle, requirement: Requirement): boolean {
  switch (requirement.kind) {
    case 'package':
      return bundle.package === requirement.package && isInRange(bundle, requirement);
    case 'api':
      return bundle.provides.some((api) => sameApiKind(api, requirement.api));
    case 'all':
      return requirement.of.every((part) => meets(bundle, part));
    case 'any':
      return requirement.of.some((part) => meets(bundle, part));
    case 'not':
      return !requirement.of.some((part) => isJudged(part) && meets(bundle, part));
    case 'rule':
    case 'broken':
      return true;
  }
}

export const isJudged = ({ kind }: Requirement): boolean => kind !== 'rule' && kind !== 'broken';

type PackageRequirement = Extract<Requirement, { readonly kind: 'package' }>;

/** Ranges are read once: every bundle of a package is held against them. */
const known = new WeakMap<PackageRequirement, VersionTest>();

function isInRange({ version }: Bundle, requirement: PackageRequirement): boolean {
  if (requirement.range === '') return true;
  const test = known.get(requirement) ?? parseVersionRange(requirement.range) ?? (() => false);
  known.set(requirement, test);
  return version !== undefined && test(version);
}

/** A set of bundles, found by what they offer. */
export class Offer {
  readonly #byPackage = new Map<string, Bundle[]>();
  readonly #byApi = new Map<string, Bundle[]>();

  constructor(bundles: Iterable<Bundle>) {
    for (const bundle of bundles) {
      note(this.#byPackage, bundle.package, bundle);
      for (const api of bundle.provides) note(this.#byApi, apiKey(api), bundle);
    }
  }

  /** Who meets a requirement alone, in the order they were given. */
  meeting(requirement: Requirement): readonly Bundle[] {
    return this.#candidates(requirement).filter((bundle) => meets(bundle, requirement));
  }

  /** Compound requirements are looked up by their parts, so that nobody has to look at every bundle. */
  #candidates(requirement: Requirement): readonly Bundle[] {
    switch (requirement.kind) {
      case 'package':
        return this.#byPackage.get(requirement.package) ?? [];
      case 'api':
        return this.#byApi.get(apiKey(requirement.api)) ?? [];
      case 'all':
      case 'any':
        return [...new Set(requirement.of.flatMap((part) => this.#candidates(part)))];
      default:
        return [];
    }
  }
}

const apiKey = ({ group, version, kind }: ApiKind) => [group, version, kind].join('/');

function note(index: Map<string, Bundle[]>, key: string, bundle: Bundle): void {
  const known = index.get(key);
  if (known) known.push(bundle);
  else index.set(key, [bundle]);
}
