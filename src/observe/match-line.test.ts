import { expect, test } from 'vitest';
import { counts, matchLine } from './match-line.ts';
import { parseRules, type Rule } from './rules/catalogue.ts';

const entry = (id: string, kind: string, pattern: string, more = '') => `
  - id: ${id}
    category: bootstrap
    kind: ${kind}
    where: ['journal:bootstrap/*']
    pattern: '${pattern}'
    sample: 'x ${pattern} y'
    not_sample: 'nothing of it'
    cause: Something
    remedy: Something else
    commands: []
    source: a test${more}`;

const rules = (...entries: readonly string[]): readonly Rule[] =>
  parseRules('a test', `version: 1\nfailures:${entries.join('')}`);

const idsOf = (all: readonly Rule[], text: string) =>
  matchLine(all, text).map(({ rule }) => rule.id);

const ROOT = entry('root', 'root', 'connection refused');
const SYMPTOM = entry('symptom', 'symptom', 'Failed to start');
const BENIGN = entry('benign', 'benign', 'while the API comes up');

test('matchLine lets a benign rule silence a root on the same line', () => {
  const all = rules(ROOT, SYMPTOM, BENIGN);

  expect(idsOf(all, 'connection refused')).toEqual(['root']);
  expect(idsOf(all, 'Failed to start: connection refused while the API comes up')).toEqual([
    'benign',
  ]);
});

test('matchLine leaves no symptom beside a root', () => {
  const all = rules(ROOT, SYMPTOM);

  expect(idsOf(all, 'Failed to start: connection refused')).toEqual(['root']);
  expect(idsOf(all, 'Failed to start: another reason')).toEqual(['symptom']);
});

test('matchLine lets the more specific rule stand for the general one', () => {
  const special = entry('special', 'root', 'refused by the mirror', '\n    instead_of: [root]');

  expect(idsOf(rules(ROOT, special), 'connection refused: refused by the mirror')).toEqual([
    'special',
  ]);
});

/** What is said of a line when these patterns were seen in others. */
const saidWith = (all: readonly Rule[], text: string, ...seen: readonly string[]) => {
  const patterns = all.flatMap(({ needed, against }) => [...needed, ...against]);
  const facts = new Set(patterns.filter((one) => seen.includes(one.source)));
  return matchLine(all, text)
    .filter((match) => counts(match, facts))
    .map(({ rule }) => rule.id);
};

test.each([
  ['replaces', '\n    instead_of: [root]'],
  ['means the same as', '\n    cause_id: same'],
])('matchLine lets a rule that other lines drop make room for the one it %s', (_, more) => {
  const root = entry('root', 'root', 'connection refused', '\n    cause_id: same');
  const special = entry(
    'special',
    'root',
    'refused by the mirror',
    `\n    unless: ['all is well']${more}`,
  );
  const all = rules(...(more.includes('cause_id') ? [special, root] : [root, special]));
  const line = 'connection refused: refused by the mirror';

  expect(saidWith(all, line)).toEqual(['special']);
  expect(saidWith(all, line, 'all is well')).toEqual(['root']);
});

test('matchLine lets a rule replace another once what it needs was seen', () => {
  const special = entry(
    'special',
    'root',
    'refused by the mirror',
    "\n    instead_of: [root]\n    needs: ['the mirror is down']",
  );
  const line = 'connection refused: refused by the mirror';

  expect(saidWith(rules(ROOT, special), line)).toEqual(['root']);
  expect(saidWith(rules(ROOT, special), line, 'the mirror is down')).toEqual(['special']);
});

test('matchLine lets a symptom speak where the root beside it is dropped', () => {
  const root = entry('root', 'root', 'connection refused', "\n    unless: ['all is well']");
  const line = 'Failed to start: connection refused';

  expect(saidWith(rules(root, SYMPTOM), line)).toEqual(['root']);
  expect(saidWith(rules(root, SYMPTOM), line, 'all is well')).toEqual(['symptom']);
});
