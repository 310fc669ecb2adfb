import { AtollError } from '../core/errors.ts';
import {
  coversLocation,
  hostOf,
  isLocation,
  type MirrorRule,
  normalizeRules,
  ruleFor,
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
  const head = [
    `unqualified-search-registries = [${search.map(quote).join(', ')}]`,
    'short-name-mode = ""',
  ];
  const tables = tablesOf(input).map((table) => formatTable(table, input.insecure ?? []));
  return `${[head.join('\n'), ...tables].join('\n\n')}\n`;
}

function tablesOf(input: RegistriesConfInput): Table[] {
  const digest = ruleMap(input.rules);
  const tag = ruleMap(input.tagRules ?? []);
  const rules = [...digest.values(), ...tag.values()];
  const mirrors = new Set(rules.flatMap((rule) => rule.mirrors));
  const blocked = checked(input.blocked ?? [], true);
  const insecure = checked(input.insecure ?? [], false);
  refuseBlockedMirror(blocked, mirrors);
  // A mirror below a blocked place has to be opened again.
  const open = [...mirrors].filter((mirror) => blocked.some((prefix) => reaches(prefix, mirror)));
  const sources = rules.map(({ source }) => source);
  return sortedUnique([...sources, ...blocked, ...insecure, ...open]).map((location) => {
    const source = decidingSource(rules, location);
    const own = source === undefined ? [] : [digest.get(source), tag.get(source)];
    return {
      location,
      mirrors: joinMirrors(mirrorsFor(location, own[0]), mirrorsFor(location, own[1])),
      blocked:
        own.some((rule) => rule?.policy === 'NeverContactSource') ||
        (!open.includes(location) && blocked.some((prefix) => coversLocation(prefix, location))),
    };
  });
}

/** A table without rules of its own would hide those of the place around it, so it carries them. */
function decidingSource(rules: readonly MirrorRule[], location: string): string | undefined {
  const own = rules.find(({ source }) => source === location);
  return (own ?? ruleFor(rules, location))?.source;
}

/** The mirrors of a rule, for a place at or below its source. */
function mirrorsFor(location: string, rule: MirrorRule | undefined): string[] {
  if (!rule) return [];
  const around = rule.source.startsWith('*.') ? hostOf(location) : rule.source;
  return rule.mirrors.map((mirror) => `${mirror}${location.slice(around.length)}`);
}

/** Whether containers/image applies a table to a mirror: it takes `host` for every port of it. */
const reaches = (prefix: string, mirror: string): boolean =>
  coversLocation(prefix, mirror) || mirror.startsWith(`${prefix}:`);

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

/** Both lists in their order: a mirror they share stands once, unless that would change it. */
function joinMirrors(digest: readonly string[], tag: readonly string[]): Mirror[] {
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

const mirror = (location: string, pulls: Pulls): Mirror => ({ location, pulls });

function formatTable(table: Table, insecure: readonly string[]): string {
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
  insecure: readonly string[],
  digestOnly: boolean,
): string[] {
  return [
    '  [[registry.mirror]]',
    `  location = ${quote(location)}`,
    ...(isInsecure(insecure, location) ? ['  insecure = true'] : []),
    ...(digestOnly || pulls === 'all' ? [] : [`  pull-from-mirror = ${quote(pulls)}`]),
  ];
}

function isInsecure(insecure: readonly string[], location: string): boolean {
  return insecure.some((place) => coversLocation(place, location));
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
