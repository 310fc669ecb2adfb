import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ORDINARY_FILES } from '../../../test/support/ordinary-lines.ts';
import { once } from '../../core/bytes.ts';
import { seenText } from '../match-line.ts';
import { type Rule, shippedRules } from '../rules/catalogue.ts';
import { createLineScanner } from './line-scanner.ts';
import { ORDINARY_TEXT } from './ordinary-text.ts';

/** What healthy machines of the corpus and ordinary installs say. */
function ordinaryLines(): string[] {
  const cases = ['known', 'blind'].flatMap((half) => {
    const folder = new URL(`../../../test/corpus/${half}/`, import.meta.url);
    return readdirSync(folder).map(
      (name) =>
        parse(readFileSync(new URL(name, folder), 'utf8')) as { cause: string; text: string },
    );
  });
  const healthy = cases.filter(({ cause }) => cause === 'none').map(({ text }) => text.split('\n'));
  return [...healthy, ...Object.values(ORDINARY_FILES)].flat().filter((line) => line.trim() !== '');
}

interface Looked {
  readonly id: string;
  readonly regexp: RegExp;
}

const lookedFor = (rule: Rule): Looked[] =>
  [rule.regexp, rule.overRegexp, ...rule.needed, ...rule.against].flatMap((regexp) =>
    regexp ? [{ id: rule.id, regexp }] : [],
  );

/** Of so many ordinary lines a pattern may be run on one in vain. */
const LINES_FOR_ONE = 50;

/** Each pattern that ordinary lines reach too often, with how many of them it was run on for nothing. */
async function tooCommon(looked: readonly Looked[]): Promise<string[]> {
  const lines = ordinaryLines();
  const scanner = createLineScanner(looked.map(({ regexp }) => regexp.source));
  const wasted = looked.map(() => 0);
  for await (const hits of scanner.scan(once(Buffer.from(`${lines.join('\n')}\n`))))
    for (const { text, patterns } of hits)
      for (const index of patterns)
        if (!looked[index]?.regexp.test(seenText(text))) wasted[index] = (wasted[index] ?? 0) + 1;
  return looked.flatMap(({ id, regexp }, index) =>
    (wasted[index] ?? 0) * LINES_FOR_ONE > lines.length
      ? [`${id} is run on ${wasted[index]} of ${lines.length} ordinary lines: /${regexp.source}/`]
      : [],
  );
}

test('no rule is looked for by words that ordinary lines are full of', async () => {
  expect(await tooCommon(shippedRules().flatMap(lookedFor))).toEqual([]);
});

/** A fact is known when it was seen once: each further line that holds it is read for nothing. */
const factsOf = ({ id, needed, against }: Rule): Looked[] =>
  [...needed, ...against].map((regexp) => ({ id, regexp }));

/** The facts that more than one kind of the lines that fill logs holds. */
function commonFacts(facts: readonly Looked[]): string[] {
  const lines = ORDINARY_TEXT.split('\n');
  return facts.flatMap(({ id, regexp }) => {
    const insensitive = new RegExp(regexp.source, 'i');
    const holding = lines.filter((line) => insensitive.test(line)).length;
    return holding > 1 ? [`${id}: ${holding} kinds of lines hold /${regexp.source}/`] : [];
  });
}

test('no fact that a rule needs or fears is one that logs are full of', () => {
  expect(commonFacts(shippedRules().flatMap(factsOf))).toEqual([]);
});

test('a fact that logs are full of is named', () => {
  expect(commonFacts([{ id: 'vague', regexp: /(?:no such host|connection refused)/ }])).toEqual([
    expect.stringMatching(/^vague: \d kinds of lines hold /),
  ]);
});

test('a rule of common words is named', async () => {
  const regexp = /connection refused\d{9}/i;

  expect(await tooCommon([{ id: 'vague', regexp }])).toEqual([
    expect.stringMatching(/^vague is run on \d+ of \d+ ordinary lines: /),
  ]);
});
