import { parse, TomlError } from 'smol-toml';
import { AtollError } from '../../core/errors.ts';
import { flag, listOf, objectOf, optional, text } from '../../core/shape.ts';
import { type Mirror, PULL_FROM_MIRROR, type RegistriesFile, type RegistryRule } from './model.ts';

interface RawMirror {
  readonly location?: string;
  readonly insecure?: boolean;
  readonly 'pull-from-mirror'?: string;
}

interface RawRegistry extends RawMirror {
  readonly prefix?: string;
  readonly blocked?: boolean;
  readonly 'mirror-by-digest-only'?: boolean;
  readonly mirror?: readonly RawMirror[];
}

const mirrorFields = {
  location: optional(text),
  insecure: optional(flag),
  'pull-from-mirror': optional(text),
};

const fileShape = objectOf({
  'credential-helpers': optional(listOf(text)),
  'unqualified-search-registries': optional(listOf(text)),
  registry: optional(
    listOf(
      objectOf({
        ...mirrorFields,
        prefix: optional(text),
        blocked: optional(flag),
        'mirror-by-digest-only': optional(flag),
        mirror: optional(listOf(objectOf(mirrorFields))),
      }),
    ),
  ),
});

type Fail = (found: string, hint?: string) => AtollError;

interface RawFile {
  readonly registry?: readonly RawRegistry[];
  readonly 'credential-helpers'?: readonly string[];
  readonly 'unqualified-search-registries'?: readonly string[];
}

/** Parses one file of the second format; of tables with the same prefix the first counts. */
export function parseRegistriesFile(path: string, written: string): RegistriesFile {
  const toml = parseToml(path, written);
  if (isFirstFormat(toml)) {
    throw failure(path)(
      'it has the old format, with a table [registries.…]',
      'Write one [[registry]] table for each registry; see containers-registries.conf(5)',
    );
  }
  const problem = fileShape(toml);
  if (problem !== undefined) throw failure(path)(countedFromOne(problem));
  const { registry = [], ...lists } = toml as RawFile;
  const rules = registry.map((raw, index) => ruleOf(path, raw, index));
  refuseConflicts(path, rules);
  const first = new Map(rules.toReversed().map((rule) => [rule.prefix, rule]));
  return {
    path,
    rules: [...first.values()].toReversed(),
    credentialHelpers: lists['credential-helpers'],
    unqualifiedSearch: lists['unqualified-search-registries']?.map((host) =>
      bareLocation(host, failure(path)),
    ),
  };
}

function parseToml(path: string, written: string): Record<string, unknown> {
  try {
    return parse(withoutComments(written));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '');
    throw failure(path)(`line ${error.line}, column ${error.column}: ${what}`);
  }
}

/** Lines of comment alone, as TOML allows them. */
const COMMENT_LINES = /(?<![^\n])[ \t]*#(?:\t|[^\p{Cc}])*(?=\r?\n|$)/gu;

/** Nearly all that a system brings along is comment, which the parser reads letter by letter. */
function withoutComments(written: string): string {
  const hasLongTexts = written.includes('"""') || written.includes("'''");
  return hasLongTexts ? written : written.replace(COMMENT_LINES, '');
}

function isFirstFormat(toml: Record<string, unknown>): boolean {
  const tables = toml.registries;
  return typeof tables === 'object' && tables !== null && !Array.isArray(tables);
}

/** `[[registry]] number 2, mirror number 1, location: …`: counted as people count. */
function countedFromOne(problem: string): string {
  return problem
    .replace(/\.(\d+)(?=[.:])/g, (_match, index) => ` number ${Number(index) + 1}`)
    .replace(/(number \d+)\./g, '$1, ')
    .replace(/^registry/, '[[registry]]');
}

function ruleOf(path: string, raw: RawRegistry, index: number): RegistryRule {
  const table = `[[registry]] number ${index + 1}`;
  const fail: Fail = (found, hint) => failure(path)(`${table}: ${found}`, hint);
  const location = bareLocation(raw.location ?? '', fail);
  const prefix = bareLocation(raw.prefix ?? '', fail) || location;
  if (prefix === '') throw fail('it has neither a location nor a prefix');
  if (location === '' && !prefix.startsWith('*.')) {
    throw fail(`prefix "${prefix}" has no location`, 'Only a prefix "*.example.com" may lack one');
  }
  if (/^\*\..*[/@:]/.test(prefix)) {
    throw fail(`prefix "${prefix}" is more than a host`, 'Write it as "*.example.com", no more');
  }
  if (raw['pull-from-mirror'] !== undefined) {
    throw fail('pull-from-mirror belongs into a [[registry.mirror]] table');
  }
  return {
    prefix,
    location: location || undefined,
    insecure: raw.insecure ?? false,
    blocked: raw.blocked ?? false,
    mirrorByDigestOnly: raw['mirror-by-digest-only'] ?? false,
    mirrors: (raw.mirror ?? []).map((mirror, at) => mirrorOf(mirror, raw, prefix, at, fail)),
    origins: [{ kind: 'registries-conf', path }],
  };
}

function mirrorOf(
  raw: RawMirror,
  registry: RawRegistry,
  prefix: string,
  index: number,
  fail: Fail,
): Mirror {
  const location = bareLocation(raw.location ?? '', fail);
  if (location === '') throw fail(`its mirror number ${index + 1} has no location`);
  const when = raw['pull-from-mirror'] ?? '';
  if (when !== '' && registry['mirror-by-digest-only']) {
    throw fail(
      `mirror-by-digest-only of "${prefix}" and pull-from-mirror of "${location}" exclude each other`,
    );
  }
  const pullFromMirror = PULL_FROM_MIRROR.find((value) => value === when);
  if (when !== '' && !pullFromMirror) {
    throw fail(
      `mirror "${location}" has pull-from-mirror = "${when}"`,
      `Write one of ${PULL_FROM_MIRROR.map((value) => `"${value}"`).join(', ')}`,
    );
  }
  return { location, insecure: raw.insecure ?? false, pullFromMirror };
}

function bareLocation(location: string, fail: Fail): string {
  if (/^https?:\/\//.test(location)) {
    throw fail(`"${location}" starts with a scheme`, 'Write host[:port][/path] without "https://"');
  }
  return location.replace(/\/+$/, '');
}

/** One place cannot be both insecure and not, or blocked and not, through different prefixes. */
function refuseConflicts(path: string, rules: readonly RegistryRule[]): void {
  const first = new Map<string, RegistryRule>();
  for (const rule of rules) {
    const place = rule.location ?? rule.prefix;
    const other = first.get(place) ?? rule;
    first.set(place, other);
    for (const key of ['insecure', 'blocked'] as const) {
      if (rule[key] === other[key]) continue;
      throw failure(path)(
        `"${place}" is named twice, once with ${key} and once without`,
        `Give "${other.prefix}" and "${rule.prefix}" the same value of ${key}`,
      );
    }
  }
}

function failure(path: string): Fail {
  return (found, hint) =>
    new AtollError('INPUT_INVALID', `Cannot use "${path}": ${found}`, {
      hint: hint ?? 'See containers-registries.conf(5)',
      details: { path },
    });
}
