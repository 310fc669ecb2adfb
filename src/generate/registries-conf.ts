import { AtollError } from '../core/errors.ts';
import {
  coversLocation,
  hostOf,
  isLocation,
  type MirrorRule,
  normalizeRules,
} from './mirror-rule.ts';
import { sortedUnique } from './order.ts';

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

type Pulls = 'digest-only' | 'tag-only' | 'all';

interface Mirror {
  readonly location: string;
  readonly pulls: Pulls;
}

interface Table {
  readonly location: string;
  readonly mirrors: readonly Mirror[];
  readonly blocked: boolean;
}

/**
 * `registries.conf` in version 2, for the bootstrap machine, nodes, podman and skopeo. Exactly one
 * table decides for an image, so each table carries all that is known about its location.
 */
export function registriesConf(input: RegistriesConfInput): string {
  const search = input.unqualifiedSearch ?? [];
  const insecure = new Set(input.insecure ?? []);
  const head = [
    `unqualified-search-registries = [${search.map(quote).join(', ')}]`,
    'short-name-mode = ""',
  ];
  const tables = tablesOf(input).map((table) => formatTable(table, insecure));
  return `${[head.join('\n'), ...tables].join('\n\n')}\n`;
}

function tablesOf(input: RegistriesConfInput): Table[] {
  const digest = ruleMap(input.rules);
  const tag = ruleMap(input.tagRules ?? []);
  const blocked = checked(input.blocked ?? [], true);
  const insecure = checked(input.insecure ?? [], false);
  const locations = sortedUnique([...digest.keys(), ...tag.keys(), ...blocked, ...insecure]);
  return locations.map((location) => {
    const rules = [digest.get(location), tag.get(location)];
    return {
      location,
      mirrors: joinMirrors(rules[0]?.mirrors ?? [], rules[1]?.mirrors ?? []),
      blocked:
        rules.some((rule) => rule?.policy === 'NeverContactSource') ||
        blocked.some((prefix) => coversLocation(prefix, location)),
    };
  });
}

function ruleMap(rules: readonly MirrorRule[]): Map<string, MirrorRule> {
  return new Map(normalizeRules(rules).map((rule) => [rule.source, rule]));
}

function joinMirrors(digest: readonly string[], tag: readonly string[]): Mirror[] {
  const both = (location: string) => digest.includes(location) && tag.includes(location);
  return [
    ...digest.map((location) => mirror(location, both(location) ? 'all' : 'digest-only')),
    ...tag.filter((location) => !both(location)).map((location) => mirror(location, 'tag-only')),
  ];
}

const mirror = (location: string, pulls: Pulls): Mirror => ({ location, pulls });

function formatTable(table: Table, insecure: ReadonlySet<string>): string {
  // Old nodes do not know `pull-from-mirror`, and the two keys exclude each other.
  const digestOnly =
    table.mirrors.length > 0 && table.mirrors.every(({ pulls }) => pulls === 'digest-only');
  const lines = [
    '[[registry]]',
    ...(table.location.startsWith('*.')
      ? [`prefix = ${quote(table.location)}`]
      : [`location = ${quote(table.location)}`]),
    ...(isInsecure(insecure, table.location) ? ['insecure = true'] : []),
    ...(table.blocked ? ['blocked = true'] : []),
    ...(digestOnly ? ['mirror-by-digest-only = true'] : []),
  ];
  return [lines, ...table.mirrors.map((entry) => mirrorLines(entry, insecure, digestOnly))]
    .map((block) => block.join('\n'))
    .join('\n\n');
}

function mirrorLines(
  { location, pulls }: Mirror,
  insecure: ReadonlySet<string>,
  digestOnly: boolean,
): string[] {
  return [
    '  [[registry.mirror]]',
    `  location = ${quote(location)}`,
    ...(isInsecure(insecure, location) ? ['  insecure = true'] : []),
    ...(digestOnly || pulls === 'all' ? [] : [`  pull-from-mirror = ${quote(pulls)}`]),
  ];
}

function isInsecure(insecure: ReadonlySet<string>, location: string): boolean {
  return insecure.has(location) || insecure.has(hostOf(location));
}

function checked(locations: readonly string[], wildcard: boolean): readonly string[] {
  const wrong = locations.find((location) => !isLocation(location, { wildcard }));
  if (wrong === undefined) return locations;
  throw new AtollError('INPUT_INVALID', `Cannot use "${wrong}" in registries.conf`, {
    hint: 'Write "host[:port][/path]" without scheme, tag or digest',
  });
}

/** A JSON string is a TOML basic string. */
const quote = (text: string): string => JSON.stringify(text);
