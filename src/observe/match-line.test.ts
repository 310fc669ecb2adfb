import { expect, test } from 'vitest';
import { ruleOf, rulesOf } from '../../test/support/rules.ts';
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

/** Rules for places, and lines that may come from several. */
const placed = (id: string, where: readonly string[], more: object = {}) => ({
  id,
  where,
  pattern: 'connection refused',
  ...more,
});
const said = (all: readonly Rule[], origins: readonly string[], lead?: string, text = REFUSED) =>
  matchLine(all, text, origins, lead).map(({ rule }) => rule.id);
const REFUSED = 'connection refused';

test('matchLine lets the rules of the likeliest origin speak, and those for any', () => {
  const all = rulesOf(
    placed('any', ['*']),
    placed('bootstrap', ['journal:bootstrap/*']),
    placed('node', ['journal:node/*']),
    placed('other-node', ['journal:node/crio']),
  );

  expect(said(all, ['journal:node/crio', 'journal:bootstrap/crio'])).toEqual([
    ...['node', 'other-node', 'any'],
  ]);
  expect(said(all, ['journal:bootstrap/crio', 'journal:node/crio'])).toEqual(['bootstrap', 'any']);
  expect(said(all, [])).toEqual(['bootstrap', 'node', 'other-node', 'any']);
});

test('matchLine counts it as no place that text may come from anywhere', () => {
  const all = rulesOf(placed('one', ['cli:oc']), placed('two', ['cli:podman']));

  expect(said(all, ['text:unknown', 'cli:podman'])).toEqual(['two']);
  expect(said(all, ['text:unknown'])).toEqual(['one', 'two']);
});

test('matchLine lets of rules that mean the same the one speak that knows its place best', () => {
  const all = rulesOf(
    placed('any', ['*'], { cause_id: 'same' }),
    placed('place', ['journal:node/*'], { cause_id: 'same' }),
    placed('another', ['*'], { cause_id: 'other' }),
  );

  expect(said(all, ['journal:node/crio'])).toEqual(['place', 'another']);
});

test('matchLine asks whom a line is about, by the line before it where it does not say itself', () => {
  const all = rulesOf(placed('mirror', ['*'], { about: ['mirror'] }));
  const lead = 'Get "https://mirror.lab:5000/v2/": dial tcp:';

  expect(said(all, [], undefined, `${lead} ${REFUSED}`)).toEqual(['mirror']);
  expect(said(all, [], undefined)).toEqual([]);
  expect(said(all, [], lead)).toEqual(['mirror']);
  expect(said(all, [], lead, `Get "https://h.lab:6443/x": ${REFUSED}`)).toEqual([]);
  expect(said(all, [], 'nothing of use')).toEqual([]);
});

test('matchLine is content when one of several the line names is meant', () => {
  const all = rulesOf(placed('api', ['*'], { about: ['api'] }));

  expect(said(all, [], undefined, `10.0.0.1:2379, 10.0.0.2:6443: ${REFUSED}`)).toEqual(['api']);
});

test.each([
  '`connection refused` means',
  '  - `connection refused`',
  '* `connection refused`',
  '|  `connection refused` |',
  '* You encountered `connection refused`. Look at the port.',
  '- If you see `connection refused`, wait',
])('matchLine is not moved by a runbook that quotes: %s', (text) => {
  expect(idsOf(rules(ROOT), text)).toEqual([]);
});

test.each([
  'x `y`: connection refused',
  '+ `y` connection refused',
  '``: connection refused',
  '# "said of it: connection refused"',
])('matchLine does not take %s for a quotation', (text) => {
  expect(idsOf(rules(ROOT), text)).toEqual(['root']);
});

test('matchLine gives what the pattern named, and sees through quotes and colours', () => {
  const rule = rulesOf({ id: 'a', pattern: 'cannot pull "(?<image>[^"]+)"' });
  const text = String.raw`err="cannot pull \\\"quay.io/a\\\""`;

  expect(matchLine(rule, text)[0]?.groups).toEqual({ image: 'quay.io/a' });
  expect(matchLine(rule, 'cannot \x1b[1;31mpull\x1b[0m "b"')[0]?.groups).toEqual({ image: 'b' });
  expect(matchLine(rules(ROOT), 'connection refused')[0]?.groups).toEqual({});
});

test('matchLine reads no further than a line is worth', () => {
  expect(idsOf(rules(ROOT), `${'x'.repeat(9 * 1024 - 18)}connection refused`)).toEqual(['root']);
  expect(idsOf(rules(ROOT), `${'x'.repeat(9 * 1024)}connection refused`)).toEqual([]);
});

test('matchLine takes what depends on more other lines than it can follow for sure', () => {
  const all = rulesOf(...[...'abcde'].map((id) => placed(id, ['*'], { unless: [`not of ${id}`] })));
  const sure = matchLine(all, REFUSED).filter(({ when }) => when === undefined);

  expect(saidWith(all, REFUSED).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(sure.map(({ rule }) => rule.id)).toEqual(['e']);
});

test('matchLine leaves out rules that look at objects', () => {
  const all = rulesOf({ id: 'o', object: { kind: 'Node', all: [{ path: 'a', absent: true }] } });

  expect(said(all, [])).toEqual([]);
});

test.each(['$ curl x', '# curl x', '[core@boot ~]$ curl x', 'me@host:~# curl x'])(
  'matchLine takes %s for what was typed, and not for what happened',
  (typed) => {
    expect(idsOf(rules(ROOT), `${typed} connection refused`)).toEqual([]);
    expect(idsOf(rules(ROOT), `said ${typed} connection refused`)).toEqual(['root']);
  },
);

test('matchLine tells the cause that stands last in a line first: programs put it behind what it led to', () => {
  const outer = ruleOf({
    id: 'outer',
    cause_id: 'release-arch-mismatch',
    pattern: 'failed to pull',
  });
  const inner = ruleOf({
    id: 'inner',
    cause_id: 'mirror-unreachable',
    pattern: 'no route to host',
  });
  const line = 'failed to pull x: dial tcp 10.0.0.1: connect: no route to host';

  expect(matchLine([outer, inner], line).map(({ rule }) => rule.id)).toEqual(['inner', 'outer']);
});
