import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { listAssets, readAsset, readBuilt } from '../../core/assets.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { inputError, parseYamlInput } from '../../core/yaml-input.ts';
import { isOfLine, unknownPlaces } from '../cause-text.ts';
import { ANYWHERE } from '../file-kind.ts';
import { learnClauses, requiredLiterals, SHORTEST_LITERAL } from '../scan/literals.ts';
import { CATALOGUE, type CauseData, type RuleData } from './schema.ts';
import { whereMatcher } from './where.ts';

/** A known failure, ready to be matched. */
export interface Rule extends RuleData {
  readonly regexp: RegExp | undefined;
  readonly overRegexp: RegExp | undefined;
  readonly needed: readonly RegExp[];
  readonly against: readonly RegExp[];
  /** Its cause comes and goes by itself. */
  readonly passing: boolean;
  /** How far into a conversation its cause is said. */
  readonly rung: { readonly ladder: number; readonly height: number } | undefined;
  appliesTo(origin: string): boolean;
}

/** The rule as it stands in the catalogue: plain data. */
export function dataOf(rule: Rule): RuleData {
  const { regexp, overRegexp, needed, against, passing, rung, appliesTo, ...data } = rule;
  return data;
}

const FOLDER = 'failures/';
let shipped: readonly Rule[] | undefined;

/** The rules that come with atoll. */
export function shippedRules(): readonly Rule[] {
  shipped ??= rulesOf(`assets/${FOLDER}`, shippedFiles());
  return shipped;
}

function shippedFiles(): readonly ReadFile[] {
  const texts = listAssets(FOLDER).map((name) => ({
    file: `assets/${name}`,
    text: readAsset(name),
  }));
  return builtFiles(texts) ?? texts.map(readFile);
}

interface Built {
  readonly sha256: string;
  readonly files: readonly { readonly file: string; readonly data: unknown }[];
  /** For each pattern by which literals it is looked for. */
  readonly clauses: Parameters<typeof learnClauses>[0];
}

/**
 * What the build made of the same texts: to read them as YAML, and to find out by which literals patterns are looked
 * for, takes longer than to read most logs. The bundle has no texts beside it that could have changed.
 */
function builtFiles(texts: readonly CatalogueFile[]): readonly ReadFile[] | undefined {
  const json = readBuilt('failures.json');
  if (json === undefined) return undefined;
  const { sha256, files, clauses } = JSON.parse(json) as Built;
  const hash = createHash('sha256');
  for (const { text } of texts) hash.update(text);
  if (texts.length > 0 && hash.digest('hex') !== sha256) return undefined;
  learnClauses(clauses);
  return files.map(({ file, data }) => ({ file, ...CATALOGUE.parse(data) }));
}

interface CatalogueFile {
  readonly file: string;
  readonly text: string;
}

/** Reads the files of a catalogue; says which entry is wrong, and how. `name` is that of all together. */
export function parseCatalogue(name: string, files: readonly CatalogueFile[]): readonly Rule[] {
  return rulesOf(name, files.map(readFile));
}

type ReadFile = z.output<typeof CATALOGUE> & { readonly file: string };

function rulesOf(name: string, parts: readonly ReadFile[]): readonly Rule[] {
  const causes = joined(parts.map((part) => part.causes));
  const rules = parts.flatMap(({ file, failures }) =>
    failures
      .map((data) => withNamedLine(file, data, causes))
      .map((data) => ({ ...compile(file, data), ...standingOf(data, causes) })),
  );
  checkReferences(name, rules);
  checkCauses(name, rules, causes);
  return withConsequences(name, rules, causes.consequences);
}

/** A catalogue of one file. */
export const parseRules = (name: string, text: string): readonly Rule[] =>
  parseCatalogue(name, [{ file: name, text }]);

function readFile({ file, text }: CatalogueFile): ReadFile {
  const parsed = parseYamlInput(CATALOGUE, text);
  if (parsed.value === undefined) throw inputError(file, parsed.problems);
  return { ...parsed.value, file };
}

const joined = (all: readonly CauseData[]): CauseData => ({
  lines: Object.assign({}, ...all.map(({ lines }) => lines)),
  passing: all.flatMap(({ passing }) => passing),
  consequences: all.flatMap(({ consequences }) => consequences),
  ladders: all.flatMap(({ ladders }) => ladders),
});

/** No pattern would look like it. */
const NAME = /^[a-z]+(?:-[a-z]+)+$/;

function withNamedLine(file: string, data: RuleData, { lines }: CauseData): RuleData {
  if (data.over === undefined || !NAME.test(data.over)) return data;
  const over = lines[data.over];
  if (over === undefined)
    throw invalid(file, `"${data.id}" is over with "${data.over}", which is no line of causes`);
  return { ...data, over };
}

/** What a rule means: the word for its cause, or where there is none the rule itself. */
export const meaningOf = ({ cause_id, id }: RuleData): string => cause_id ?? id;

/** What follows from a cause follows from it whichever rule named it. */
function withConsequences(
  name: string,
  rules: readonly Rule[],
  groups: CauseData['consequences'],
): readonly Rule[] {
  const explained = new Map<string, Set<string>>();
  const add = (cause: string, effects: readonly string[]) =>
    explained.set(cause, new Set([...(explained.get(cause) ?? []), ...effects]));
  for (const rule of rules) add(meaningOf(rule), rule.explains);
  for (const { of, are } of groups) for (const cause of of) add(cause, are);
  for (const [cause, effects] of explained)
    for (const effect of effects)
      if (explained.get(effect)?.has(cause))
        throw invalid(name, `"${cause}" and "${effect}" explain each other`);
  return rules.map((rule) => ({ ...rule, explains: [...(explained.get(meaningOf(rule)) ?? [])] }));
}

function standingOf(rule: RuleData, { passing, ladders }: CauseData): Standing {
  const meaning = meaningOf(rule);
  const rungs = ladders.flatMap((heights, ladder) =>
    heights.flatMap((causes, height) => (causes.includes(meaning) ? { ladder, height } : [])),
  );
  return { passing: passing.includes(meaning), rung: rungs[0] };
}

function checkCauses(name: string, rules: readonly Rule[], causes: CauseData): void {
  const known = new Set(rules.map(meaningOf));
  const { passing, ladders, consequences } = causes;
  const named = [passing, ladders.flat(2), consequences.flatMap(({ of, are }) => [...of, ...are])];
  const unknown = named.flat().find((cause) => !known.has(cause));
  if (unknown) throw invalid(name, `no rule means "${unknown}"`);
}

type Standing = Pick<Rule, 'passing' | 'rung'>;

function compile(name: string, data: RuleData): Omit<Rule, keyof Standing> {
  checkPlaces(name, data);
  const matchers = data.where.map(whereMatcher);
  const appliesTo = (origin: string): boolean =>
    !(data.placed && origin === ANYWHERE) && matchers.some((matches) => matches(origin));
  const compiled = (pattern: string | undefined) => compilePattern(name, data.id, pattern);
  return {
    ...data,
    regexp: compiled(data.pattern),
    overRegexp: compiled(data.over),
    needed: data.needs.flatMap((one) => compiled(one) ?? []),
    against: data.unless.flatMap((one) => compiled(one) ?? []),
    appliesTo,
  };
}

/** A text that names what no line can give would show its braces. */
function checkPlaces(name: string, { id, pattern = '', cause, remedy }: RuleData): void {
  const groups = new Set([...pattern.matchAll(/\(\?<(\w+)>/g)].flatMap(([, group]) => group ?? []));
  const hidden = [...groups].find(isOfLine);
  if (hidden)
    throw invalid(name, `"${id}" has a group "${hidden}", which stands for whom a line talks to`);
  const [place] = [cause, remedy].flatMap((text) => unknownPlaces(text, groups));
  if (place === undefined) return;
  const can = '{registry}, {end}, or {group|otherwise} with a named group of the pattern';
  throw invalid(name, `the text of "${id}" has ${place}; it can have ${can}`);
}

function compilePattern(name: string, id: string, pattern: string | undefined): RegExp | undefined {
  if (pattern === undefined) return undefined;
  const regexp = regexpOf(name, id, pattern);
  if (requiredLiterals(regexp.source, SHORTEST_LITERAL)) return regexp;
  const found = `the pattern of "${id}" has no fixed text of ${SHORTEST_LITERAL} characters in every alternative`;
  throw invalid(name, found);
}

function regexpOf(name: string, id: string, pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'i');
  } catch (cause) {
    throw invalid(name, `the pattern of "${id}": ${messageOf(cause)}`, cause);
  }
}

function checkReferences(name: string, rules: readonly Rule[]): void {
  const ids = new Set(rules.map(({ id }) => id));
  if (ids.size !== rules.length) {
    const twice = rules.find(({ id }, index) => rules.findIndex((one) => one.id === id) !== index);
    throw invalid(name, `"${twice?.id}" is there twice`);
  }
  for (const { id, instead_of, also } of rules) {
    const unknown = [...instead_of, ...also].find((other) => !ids.has(other));
    if (unknown) throw invalid(name, `"${id}" names "${unknown}", which does not exist`);
  }
}

function invalid(name: string, found: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use the catalogue "${name}": ${found}`, {
    cause,
    details: { path: name },
  });
}
