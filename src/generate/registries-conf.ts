import { AtollError } from '../core/errors.ts';
import { sortedUnique } from '../core/order.ts';
import { formatRegistriesConf } from '../oci/registries/format.ts';
import { isLocation } from '../oci/registries/location.ts';
import { covers, longestMatch, matchLength } from '../oci/registries/match.ts';
import type { Mirror, RegistryTable } from '../oci/registries/model.ts';
import { type MirrorRule, normalizeRules } from './mirror-rule.ts';

export interface RegistriesConfInput {
  /** Rules for pulls by digest, as an ImageDigestMirrorSet has them. */
  readonly rules: readonly MirrorRule[];
  /** Rules for pulls by tag, as an ImageTagMirrorSet has them. */
  readonly tagRules?: readonly MirrorRule[] | undefined;
  /** Places nothing is ever pulled from; their mirrors still are. `quay.io` blocks all below it. */
  readonly blocked?: readonly string[] | undefined;
  /** Hosts that speak plain HTTP or show an unverified certificate. */
  readonly insecure?: readonly string[] | undefined;
  /** Where short names are looked up; none unless named. */
  readonly unqualifiedSearch?: readonly string[] | undefined;
}

/** `registries.conf` for the bootstrap machine, nodes, podman and skopeo. */
export function registriesConf(input: RegistriesConfInput): string {
  return formatRegistriesConf({
    tables: registryTables(input),
    unqualifiedSearch: input.unqualifiedSearch ?? [],
  });
}

/**
 * The tables that say it. Exactly one table decides for an image, so each carries all that is known
 * about its location.
 */
export function registryTables(input: RegistriesConfInput): RegistryTable[] {
  const digest = ruleMap(input.rules);
  const tag = ruleMap(input.tagRules ?? []);
  const rules = [...digest.values(), ...tag.values()];
  const mirrors = new Set(rules.flatMap((rule) => rule.mirrors));
  const blocked = checked(input.blocked ?? [], true);
  const insecure = checked(input.insecure ?? [], false);
  refuseBlockedMirror(blocked, mirrors);
  // A mirror below a blocked place has to be opened again.
  const open = [...mirrors].filter((mirror) => blocked.some((prefix) => covers(prefix, mirror)));
  const sources = rules.map(({ source }) => source);
  return sortedUnique([...sources, ...blocked, ...insecure, ...open]).map((location) => {
    const source = decidingSource(rules, location);
    const own = source === undefined ? [] : [digest.get(source), tag.get(source)];
    const isBlocked =
      own.some((rule) => rule?.policy === 'NeverContactSource') ||
      (!open.includes(location) && blocked.some((prefix) => covers(prefix, location)));
    const pulls = joinMirrors(mirrorsFor(location, own[0]), mirrorsFor(location, own[1]));
    return tableOf(location, pulls, isBlocked, insecure);
  });
}

/** A table without rules of its own would hide those of the place around it, so it carries them. */
function decidingSource(rules: readonly MirrorRule[], location: string): string | undefined {
  const own = rules.find(({ source }) => source === location);
  return (own ?? longestMatch(rules, ({ source }) => source, location))?.source;
}

/** The mirrors of a rule, for a place at or below its source. */
function mirrorsFor(location: string, rule: MirrorRule | undefined): string[] {
  if (!rule) return [];
  const rest = location.slice(matchLength(location, rule.source));
  // A rule for a host is also one for its ports, and `mirror/path:5000` is no location.
  return rule.mirrors.map((mirror) => `${mirror}${rest}`).filter((mirror) => isLocation(mirror));
}

function refuseBlockedMirror(blocked: readonly string[], mirrors: ReadonlySet<string>): void {
  const both = blocked.find((location) => mirrors.has(location));
  if (both === undefined) return;
  throw new AtollError('INPUT_INVALID', `Cannot block "${both}": a rule has it as its mirror`, {
    hint: 'Block the source, and leave the mirror open',
  });
}

function ruleMap(rules: readonly MirrorRule[]): Map<string, MirrorRule> {
  return new Map(normalizeRules(rules).map((rule) => [rule.source, rule]));
}

interface MirrorPull {
  readonly location: string;
  readonly pulls: NonNullable<Mirror['pullFromMirror']>;
}

/** Both lists in their order: a mirror they share stands once, unless that would change it. */
function joinMirrors(digest: readonly string[], tag: readonly string[]): MirrorPull[] {
  const both = (location: string) => digest.includes(location) && tag.includes(location);
  const joined = [
    ...digest.map((location) => mirror(location, both(location) ? 'all' : 'digest-only')),
    ...tag.filter((location) => !both(location)).map((location) => mirror(location, 'tag-only')),
  ];
  const forTags = joined.filter(({ pulls }) => pulls !== 'digest-only');
  if (forTags.every(({ location }, index) => location === tag[index])) return joined;
  return [
    ...digest.map((location) => mirror(location, 'digest-only')),
    ...tag.map((location) => mirror(location, 'tag-only')),
  ];
}

const mirror = (location: string, pulls: MirrorPull['pulls']): MirrorPull => ({ location, pulls });

function tableOf(
  prefix: string,
  mirrors: readonly MirrorPull[],
  blocked: boolean,
  insecure: readonly string[],
): RegistryTable {
  const isInsecure = (location: string) => insecure.some((place) => covers(place, location));
  // Old nodes do not know `pull-from-mirror`, and the two keys exclude each other.
  const digestOnly = mirrors.length > 0 && mirrors.every(({ pulls }) => pulls === 'digest-only');
  return {
    prefix,
    location: prefix.startsWith('*.') ? undefined : prefix,
    insecure: isInsecure(prefix),
    blocked,
    mirrorByDigestOnly: digestOnly,
    mirrors: mirrors.map(({ location, pulls }) => ({
      location,
      insecure: isInsecure(location),
      pullFromMirror: digestOnly || pulls === 'all' ? undefined : pulls,
    })),
  };
}

function checked(locations: readonly string[], wildcard: boolean): readonly string[] {
  const wrong = locations.find((location) => !isLocation(location, { wildcard }));
  if (wrong === undefined) return locations;
  throw new AtollError('INPUT_INVALID', `Cannot use "${wrong}" in registries.conf`, {
    hint: 'Write "host[:port][/path]" without scheme, tag or digest',
  });
}
