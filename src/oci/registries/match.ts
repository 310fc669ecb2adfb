// Which table decides for an image, and where a pull of it looks: as containers/image does it, also
// where that is surprising, because the nodes run containers/image.
import { AtollError } from '../../core/errors.ts';
import { formatReference, parseReference, type Reference, repositoryName } from '../reference.ts';
import type { Mirror, RegistriesConf, RegistryRule, RegistryTable } from './model.ts';

export interface PullEndpoint {
  readonly reference: Reference;
  /** Unverified TLS and plain HTTP are allowed here. */
  readonly insecure: boolean;
  readonly mirror: boolean;
}

export interface PullEndpoints {
  /** Where to look for the manifest, in order; the first that has it serves all blobs. */
  readonly endpoints: readonly PullEndpoint[];
  /** Nothing is left to ask, because every endpoint is blocked. */
  readonly blocked: boolean;
  /** `host/repository` of the endpoints left out because they are blocked. */
  readonly blockedEndpoints: readonly string[];
}

/**
 * How much of a name (`host[:port][/repository]`) the prefix covers, or -1. A match ends at the end
 * of the name or before `/`, `:` or `@`, so `example.com` covers `example.com:5000/a`.
 */
export function matchLength(name: string, prefix: string): number {
  const end = prefix.startsWith('*.')
    ? subdomainEnd(name, prefix.slice(1))
    : name.startsWith(prefix)
      ? prefix.length
      : -1;
  return end === name.length || '/:@'.includes(name[end] ?? '-') ? end : -1;
}

/** Only the first place where the suffix stands counts, and it must be within the host. */
function subdomainEnd(name: string, suffix: string): number {
  const index = name.indexOf(suffix);
  return index < 0 || name.slice(0, index).includes('/') ? -1 : index + suffix.length;
}

export const covers = (prefix: string, name: string): boolean => matchLength(name, prefix) >= 0;

/** Of the items whose prefix covers the name, the one with the longest. */
export function longestMatch<T>(
  items: readonly T[],
  prefixOf: (item: T) => string,
  name: string,
): T | undefined {
  return items
    .filter((item) => covers(prefixOf(item), name))
    .reduce<T | undefined>(
      (best, item) =>
        best === undefined || isCloser(prefixOf(item), prefixOf(best)) ? item : best,
      undefined,
    );
}

/** The longer one; of `*.b.com` and `a.b.com` the one that comes first in the alphabet. */
function isCloser(prefix: string, other: string): boolean {
  return prefix.length === other.length ? prefix < other : prefix.length > other.length;
}

/** The table that decides for `host[:port]/repository`. */
export function ruleFor(
  { registries }: Pick<RegistriesConf, 'registries'>,
  name: string,
): RegistryRule | undefined {
  return longestMatch(registries, ({ prefix }) => prefix, name);
}

/** What the rules say about one physical place, `host/repository`, whoever sends us there. */
export function endpointRules(
  conf: RegistriesConf,
  name: string,
): { readonly insecure: boolean; readonly blocked: boolean } {
  const rule = ruleFor(conf, name);
  return { insecure: rule?.insecure ?? false, blocked: rule?.blocked ?? false };
}

/**
 * Where a pull of this reference looks: mirrors in order, then the source, blocked ones left out.
 * The table is looked up by the name alone, so a prefix with a tag or digest in it never decides.
 */
export function pullEndpoints(conf: RegistriesConf, reference: Reference): PullEndpoints {
  const rule = ruleFor(conf, repositoryName(reference));
  const all = rule
    ? endpointsOf(rule, reference)
    : [{ reference, insecure: false, mirror: false } satisfies PullEndpoint];
  const isBlocked = (endpoint: PullEndpoint) =>
    endpointRules(conf, repositoryName(endpoint.reference)).blocked;
  const endpoints = all.filter((endpoint) => !isBlocked(endpoint));
  return {
    endpoints,
    blocked: endpoints.length === 0,
    blockedEndpoints: all.filter(isBlocked).map((endpoint) => repositoryName(endpoint.reference)),
  };
}

function endpointsOf(rule: RegistryRule, reference: Reference): PullEndpoint[] {
  const at = (location: string | undefined, insecure: boolean, mirror: boolean): PullEndpoint => ({
    reference: rewrite(rule, reference, location),
    insecure,
    mirror,
  });
  // A reference with a digest counts as digested, whatever tag it also has.
  const isDigested = reference.digest !== undefined;
  const mirrors = rule.mirrors.filter((mirror) => serves(rule, mirror, isDigested));
  return [
    ...mirrors.map((mirror) => at(mirror.location, mirror.insecure, true)),
    at(rule.location, rule.insecure, false),
  ];
}

/** Whether a mirror is asked in a pull by digest, or by tag. */
export function serves(
  { mirrorByDigestOnly }: Pick<RegistryTable, 'mirrorByDigestOnly'>,
  { pullFromMirror }: Pick<Mirror, 'pullFromMirror'>,
  isDigested: boolean,
): boolean {
  if (pullFromMirror === 'tag-only') return !isDigested;
  if (pullFromMirror === 'digest-only' || mirrorByDigestOnly) return isDigested;
  return true;
}

function rewrite(rule: RegistryRule, from: Reference, location: string | undefined): Reference {
  // Only a `*.host` prefix may lack a location; then the name stays as it is.
  if (location === undefined) return from;
  const text = formatReference(from);
  try {
    return parseFull(location + text.slice(matchLength(text, rule.prefix)));
  } catch (cause) {
    const files = rule.origins.map(({ path }) => `"${path}"`).join(' and ');
    throw new AtollError('INPUT_INVALID', `Cannot rewrite "${text}" to "${location}"`, {
      hint: `Correct the table with prefix "${rule.prefix}" in ${files}`,
      cause,
    });
  }
}

/** A location is a host: short names, which mean Docker Hub elsewhere, are a mistake here. */
function parseFull(text: string): Reference {
  const reference = parseReference(text);
  const full = formatReference(reference);
  if (full === text) return reference;
  throw new AtollError('REFERENCE_INVALID', `"${text}" is short for "${full}"`);
}
