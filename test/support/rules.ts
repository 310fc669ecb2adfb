import { parseRules, type Rule } from '../../src/observe/rules/catalogue.ts';

export type RuleFields = Readonly<Record<string, unknown>> & { readonly id: string };

/** Rules of a catalogue that has only these, with what does not matter filled in. */
export function rulesOf(...failures: readonly RuleFields[]): readonly Rule[] {
  const whole = failures.map((fields) => ({
    category: 'bootstrap',
    kind: 'root',
    where: ['*'],
    ...('object' in fields ? {} : { pattern: `text of ${fields.id}` }),
    sample: 'x',
    not_sample: 'y',
    cause: `Cause of ${fields.id}`,
    remedy: `Remedy of ${fields.id}`,
    source: 'a test',
    ...fields,
  }));
  return parseRules('a test', JSON.stringify({ version: 1, failures: whole }));
}

/** The rule that is alone in its catalogue. */
export function ruleOf(fields: RuleFields): Rule {
  const [rule] = rulesOf(fields);
  if (!rule) throw new Error('the catalogue is empty');
  return rule;
}
