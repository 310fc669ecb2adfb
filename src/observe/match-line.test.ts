import { expect, test } from 'vitest';
import { matchLine } from './match-line.ts';
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
