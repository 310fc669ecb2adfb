import { readAsset } from '../../core/assets.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { inputError, parseYamlInput } from '../../core/yaml-input.ts';
import { ANYWHERE } from '../file-kind.ts';
import { requiredLiterals, SHORTEST_LITERAL } from '../scan/literals.ts';
import { CATALOGUE, type RuleData } from './schema.ts';
import { whereMatcher } from './where.ts';

/** A known failure, ready to be matched. */
export interface Rule extends RuleData {
  readonly regexp: RegExp | undefined;
  readonly overRegexp: RegExp | undefined;
  readonly needed: readonly RegExp[];
  readonly against: readonly RegExp[];
  appliesTo(origin: string): boolean;
}

/** The rule as it stands in the catalogue: plain data. */
export function dataOf(rule: Rule): RuleData {
  const { regexp: _, overRegexp: __, needed: ___, against: ____, appliesTo: _____, ...data } = rule;
  return data;
}

let shipped: readonly Rule[] | undefined;

/** The rules that come with atoll. */
export function shippedRules(): readonly Rule[] {
  shipped ??= parseRules('assets/failures.yaml', readAsset('failures.yaml'));
  return shipped;
}

/** Reads a catalogue; says which entry is wrong, and how. */
export function parseRules(name: string, text: string): readonly Rule[] {
  const parsed = parseYamlInput(CATALOGUE, text);
  if (parsed.value === undefined) throw inputError(name, parsed.problems);
  const rules = parsed.value.failures.map((data) => compile(name, data));
  checkReferences(name, rules);
  return withConsequences(name, rules);
}

/** What follows from a cause follows from it whichever rule named it. */
function withConsequences(name: string, rules: readonly Rule[]): readonly Rule[] {
  const explained = new Map<string, Set<string>>();
  for (const { cause_id, explains } of rules)
    if (cause_id)
      explained.set(cause_id, new Set([...(explained.get(cause_id) ?? []), ...explains]));
  for (const [cause, effects] of explained)
    for (const effect of effects)
      if (explained.get(effect)?.has(cause))
        throw invalid(name, `"${cause}" and "${effect}" explain each other`);
  return rules.map((rule) =>
    rule.cause_id ? { ...rule, explains: [...(explained.get(rule.cause_id) ?? [])] } : rule,
  );
}

function compile(name: string, data: RuleData): Rule {
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

function compilePattern(name: string, id: string, pattern: string | undefined): RegExp | undefined {
  if (pattern === undefined) return undefined;
  if (!requiredLiterals(pattern, SHORTEST_LITERAL)) {
    const found = `the pattern of "${id}" has no fixed text of ${SHORTEST_LITERAL} characters in every alternative`;
    throw invalid(name, found);
  }
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
