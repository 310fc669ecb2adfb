import { expect, test } from 'vitest';
import { ruleOf, rulesOf } from '../../test/support/rules.ts';
import type { EvidenceLine } from './evidence.ts';
import { createFindingCollector } from './findings.ts';
import { matchLine, type RuleMatch } from './match-line.ts';
import type { Rule } from './rules/catalogue.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 7, 20, 10, minute));

type Said = Partial<EvidenceLine> & { readonly groups?: RuleMatch['groups'] };

const lineOf = ({ groups: _, ...line }: Said): EvidenceLine => ({
  file: 'a.log',
  line: 1,
  text: 'something failed',
  origins: ['journal:bootstrap/crio'],
  ...line,
});

const A = ruleOf({ id: 'a' });

type SaidOf = readonly [Rule, Said];

function collected(...said: readonly SaidOf[]) {
  const collector = createFindingCollector();
  for (const [rule, one] of said) collector.add({ rule, groups: one.groups ?? {} }, lineOf(one));
  return collector;
}

const findingsOf = (...said: readonly Said[]) =>
  collected(...said.map((one) => [A, one] as const)).findings();

test('createFindingCollector makes one finding of all lines a rule matched', () => {
  expect(
    findingsOf({ at: at(3), line: 7 }, { at: at(1), text: 'another one' }, { text: 'a third' }),
  ).toEqual([
    {
      id: 'a',
      category: 'bootstrap',
      kind: 'root',
      cause: 'Cause of a',
      remedy: 'Remedy of a',
      commands: [],
      count: 3,
      firstAt: at(1).toISOString(),
      lastAt: at(3).toISOString(),
      evidence: [
        { file: 'a.log', line: 7, at: at(3).toISOString(), text: 'something failed' },
        { file: 'a.log', line: 1, at: at(1).toISOString(), text: 'another one' },
        { file: 'a.log', line: 1, text: 'a third' },
      ],
      mirrors: [],
    },
  ]);
});

test('createFindingCollector names the cause where experts have a word for it', () => {
  const rule = ruleOf({ id: 'a', cause_id: 'mirror-untrusted-ca' });

  expect(collected([rule, {}]).findings()[0]?.causeId).toBe('mirror-untrusted-ca');
});

test('createFindingCollector shows of lines that differ in numbers only one, and of others a few', () => {
  const [same] = findingsOf(
    { text: 'blob 12 of sha256:0123456789abcdef' },
    { text: 'blob 345 of sha256:fedcba9876543210' },
  );
  const [many] = findingsOf(...[...'abcdefgh'].map((text) => ({ text: `${text} failed` })));

  expect(same).toMatchObject({
    count: 2,
    evidence: [{ text: 'blob 12 of sha256:0123456789abcdef' }],
  });
  expect(many?.count).toBe(8);
  expect(many?.evidence.map(({ text }) => text[0]).join('')).toBe('abcde');
});

test('createFindingCollector takes lines for the same by their beginning, and cuts them short', () => {
  const [finding] = findingsOf(
    { text: `${'x'.repeat(601)} one` },
    { text: `${'x'.repeat(601)} two` },
    { text: 'y'.repeat(600) },
  );

  expect(finding?.evidence.map(({ text }) => text)).toEqual([
    `${'x'.repeat(600)}…`,
    'y'.repeat(600),
  ]);
});

test('createFindingCollector counts a line that two files hold once, and one that a file holds twice twice', () => {
  const copy = (file: string, minute: number | undefined) => ({
    file,
    ...(minute === undefined ? {} : { at: at(minute) }),
  });

  expect(findingsOf(copy('a.log', 1), copy('b.log', 1))[0]?.count).toBe(1);
  expect(findingsOf(copy('a.log', 1), copy('a.log', 1))[0]?.count).toBe(2);
  expect(findingsOf(copy('a.log', 1), copy('b.log', 2))[0]?.count).toBe(2);
  expect(findingsOf(copy('a.log', undefined), copy('b.log', undefined))[0]?.count).toBe(2);
  expect(
    findingsOf({ ...copy('a.log', 1), text: 'one' }, { ...copy('b.log', 1), text: 'two' })[0]
      ?.count,
  ).toBe(2);
});

test('createFindingCollector knows a copy whose year was guessed, for each rule by itself', () => {
  const line = { at: at(1) };
  const lastYear = { at: new Date('2025-08-20T10:01:00Z'), file: 'b.log' };
  const b = ruleOf({ id: 'b' });

  const findings = collected([A, line], [A, lastYear], [b, lastYear]).findings();

  expect(findings.map(({ id, count }) => [id, count])).toEqual([
    ['b', 1],
    ['a', 1],
  ]);
});

test('createFindingCollector fills commands with words of the first line that cannot do harm', () => {
  const rule = ruleOf({ id: 'a', commands: ['curl {host} {path} {other}'] });
  const collector = collected(
    [rule, { groups: { host: 'mirror.lab:5000', path: '$(reboot)' } }],
    [rule, { groups: { host: 'second' } }],
  );

  expect(collector.findings()[0]?.commands).toEqual(['curl mirror.lab:5000 <path> {other}']);
});

const PULL = (mirror: string) =>
  `initializing source docker://q/a: (Mirrors also failed: [${mirror}: unauthorized]): q/a: timeout`;

test('createFindingCollector tells what each mirror answered, of a few', () => {
  const [finding] = findingsOf(...[...'abcdefg'].map((name) => ({ text: PULL(`${name}.lab/x`) })));

  expect(finding?.mirrors).toEqual(
    [...'abcde'].map((name) => ({ mirror: `${name}.lab/x`, error: 'unauthorized' })),
  );
});

const idsOf = (...said: readonly SaidOf[]) =>
  collected(...said)
    .findings()
    .map(({ id }) => id);
const [B, SYMPTOM] = rulesOf({ id: 'b' }, { id: 's', kind: 'symptom' }) as [Rule, Rule];

test('createFindingCollector puts roots before symptoms, then what comes first in an install', () => {
  const crio = { origins: ['journal:bootstrap/crio'], at: at(9) };
  const kubelet = { origins: ['journal:bootstrap/kubelet'], at: at(1) };

  expect(idsOf([SYMPTOM, crio], [A, kubelet], [B, crio])).toEqual(['b', 'a', 's']);
});

test('createFindingCollector puts what was said earlier first, then what was said more often', () => {
  expect(idsOf([A, { at: at(2) }], [B, { at: at(1) }])).toEqual(['b', 'a']);
  expect(idsOf([A, {}], [B, { at: at(1) }])).toEqual(['b', 'a']);
  expect(idsOf([A, {}], [B, {}], [B, {}])).toEqual(['b', 'a']);
  expect(idsOf([A, {}], [A, {}], [B, {}])).toEqual(['a', 'b']);
});

test('createFindingCollector counts look-alikes apart', () => {
  const benign = ruleOf({ id: 'harmless', kind: 'benign' });
  const collector = collected([benign, {}], [benign, { text: 'x' }], [A, {}]);

  expect(collector.benign()).toEqual([{ id: 'harmless', count: 2, cause: expect.any(String) }]);
  expect(collector.findings().map(({ id }) => id)).toEqual(['a']);
});

test('createFindingCollector drops what passed in the same file, and keeps what came after it', () => {
  const collector = collected([A, { at: at(1) }]);
  collector.over(A, lineOf({ text: 'it works now' }));
  expect(collector.findings()).toEqual([]);

  collector.add({ rule: A, groups: {} }, lineOf({ at: at(5), text: 'again' }));
  expect(collector.findings()).toMatchObject([
    { count: 1, firstAt: at(5).toISOString(), evidence: [{ text: 'again' }] },
  ]);
});

test('createFindingCollector keeps what other files and other rules said of it', () => {
  const collector = collected(
    [A, { file: 'a.log', text: 'one' }],
    [A, { file: 'b.log', text: 'two' }],
    [B, { file: 'b.log' }],
  );

  collector.over(A, lineOf({ file: 'b.log', text: 'it works now' }));
  collector.over(A, lineOf({ file: 'c.log', text: 'it works now' }));

  expect(collector.findings()).toMatchObject([
    { id: 'a', count: 1, evidence: [{ file: 'a.log' }] },
    { id: 'b', count: 1 },
  ]);
});

const IMAGE = (name: string) => `pulling quay.io/ocp/${name} failed`;

test.each([
  [
    'the image it is about',
    IMAGE('a@sha256:0123456789ab'),
    'pulled m.lab/b@sha256:0123456789ab',
    0,
  ],
  ['another image', IMAGE('a@sha256:0123456789ab'), 'pulled m.lab/b@sha256:ffffffffffff', 1],
  ['the same name', IMAGE('a:v1'), 'pulled m.lab/x/a:v2', 0],
  ['another name', IMAGE('a:v1'), 'pulled m.lab/x/b:v1', 1],
  ['no image', IMAGE('a:v1'), 'all is well, see /var/log', 0],
])('createFindingCollector lets a line about %s end what was said', (_, text, end, left) => {
  const collector = collected([A, { text }]);

  collector.over(A, lineOf({ text: end }));

  expect(collector.findings()).toHaveLength(left);
});

test('createFindingCollector drops what other lines speak against, and joins what depends on different ones', () => {
  const rules = rulesOf(
    { id: 'open', pattern: 'connection refused', unless: ['all is well'] },
    { id: 'other', pattern: 'refused by the mirror', instead_of: ['open'], needs: ['mirror down'] },
  );
  const collector = createFindingCollector();
  const said = (minute: number, text: string) => {
    const line = lineOf({ at: at(minute), text, origins: [`journal:bootstrap/${minute}`] });
    for (const match of matchLine(rules, text)) collector.add(match, line);
  };
  said(2, 'connection refused');
  said(1, 'connection refused by the mirror');
  said(3, 'connection refused by the mirror once more');
  const factOf = (source: string) => {
    const all = rules.flatMap(({ needed, against }) => [...needed, ...against]);
    return new Set(all.filter((one) => one.source === source));
  };

  expect(collector.findings()).toMatchObject([
    {
      id: 'open',
      count: 3,
      firstAt: at(1).toISOString(),
      lastAt: at(3).toISOString(),
      evidence: [{}, {}, {}],
    },
  ]);
  expect(collector.findings(factOf('all is well'))).toEqual([]);
  expect(collector.findings(factOf('mirror down'))).toMatchObject([
    { id: 'other', count: 2 },
    { id: 'open', count: 1 },
  ]);
});

test('createFindingCollector shows a root that follows from another as also seen', () => {
  const [cause, effect] = rulesOf(
    { id: 'cause', explains: ['effect-word'], where: ['journal:bootstrap/crio'] },
    { id: 'effect', cause_id: 'effect-word' },
  ) as [Rule, Rule];
  const symptom = ruleOf({ id: 's', kind: 'symptom' });

  const findings = collected(
    [effect, { at: at(1) }],
    [symptom, {}],
    [cause, { at: at(2) }],
  ).findings();

  expect(findings.map(({ id, kind, aside }) => [id, kind, aside])).toEqual([
    ['cause', 'root', undefined],
    ['effect', 'symptom', 'explained'],
    ['s', 'symptom', undefined],
  ]);
});

test.each([
  ['was only ever retried', 'failed, retrying in 2s', 'mirroring completed', 'a.log', 0],
  ['was said in another file', 'failed, retrying in 2s', 'mirroring completed', 'b.log', 1],
  ['was an error in the end', 'failed for good', 'mirroring completed', 'a.log', 1],
  ['is about another image', `${IMAGE('a:v1')}, retrying in 2s`, 'Writing q/b:v1', 'a.log', 1],
  ['is about that image', `${IMAGE('a:v1')}, retrying in 2s`, 'Writing q/a:v1', 'a.log', 0],
])(
  'createFindingCollector is told of a recovery, and asks whether what was said %s',
  (_, text, end, file, left) => {
    const collector = collected([A, { text }]);

    collector.recovered(lineOf({ text: end, file }));

    expect(collector.findings()).toHaveLength(left);
  },
);

test('createFindingCollector takes one line that is not retried for the end of trying', () => {
  const collector = collected([A, { text: 'failed, retrying in 2s' }], [A, { text: 'failed' }]);

  collector.recovered(lineOf({ text: 'mirroring completed' }));

  expect(collector.findings()).toHaveLength(1);
});

/** Two rules of which one depends on what else is said, so that its lines are gathered apart. */
function apart(...lines: readonly (Partial<EvidenceLine> & { readonly text: string })[]) {
  const rules = rulesOf(
    { id: 'open', pattern: 'connection refused', unless: ['all is well'] },
    { id: 'other', pattern: 'refused by the mirror', instead_of: ['open'], needs: ['mirror down'] },
    { id: 'third', pattern: 'something else' },
  );
  const collector = createFindingCollector();
  for (const one of lines)
    for (const match of matchLine(rules, one.text)) collector.add(match, lineOf(one));
  return collector.findings();
}

test('createFindingCollector shows of lines that were gathered apart no more than of others', () => {
  const lines = [...'ghij'].flatMap((name) => [
    { text: `connection refused ${name}: ${PULL(`${name}1.lab/x`)}` },
    { text: `connection refused by the mirror ${name}: ${PULL(`${name}2.lab/x`)}` },
  ]);

  const [finding] = apart(...lines);

  expect(finding?.count).toBe(8);
  expect(finding?.evidence).toHaveLength(5);
  expect(finding?.mirrors.map(({ mirror }) => mirror.slice(0, 2))).toEqual([
    ...['g1', 'h1', 'i1', 'j1', 'g2'],
  ]);
});

test('createFindingCollector places what was gathered apart where the earliest of it happened', () => {
  const findings = apart(
    { text: 'connection refused', origins: ['installer-log'] },
    { text: 'something else', origins: ['journal:bootstrap/crio'] },
    { text: 'connection refused by the mirror', origins: ['cli:oc-mirror'] },
  );

  expect(findings.map(({ id }) => id)).toEqual(['open', 'third']);
});

test.each([
  ['another pod', 'pod/ledger-7 evicted', 1],
  ['that pod', 'pod/broker-1 evicted', 0],
  ['the whole node', 'node/w4.lab drained', 0],
])('createFindingCollector lets a drain wait for a pod until %s has gone', (_, text, left) => {
  const refused = 'error when evicting pods/"broker-1" -n "kafka" (will retry after 5s): no';
  const collector = collected([A, { text: refused }]);

  collector.over(A, lineOf({ text }));

  expect(collector.findings()).toHaveLength(left);
});

test('createFindingCollector lets a line end what was said of several images when it names one of them', () => {
  const collector = collected([A, { text: `${IMAGE('a:v1')} ${IMAGE('b:v1')}` }]);

  collector.over(A, lineOf({ text: 'pulled m.lab/b:v1 and m.lab/c:v1' }));

  expect(collector.findings()).toEqual([]);
});

test('createFindingCollector lets a machine end only what it said itself, in one paste of several', () => {
  const collector = createFindingCollector();
  const add = (host: string, line: number) =>
    collector.add({ rule: A, groups: {} }, lineOf({ host, line, text: `${host} failed` }));
  add('m', 1);
  add('n', 2);

  collector.over(A, lineOf({ host: 'n', line: 3, text: 'it works now' }));

  expect(collector.findings()).toMatchObject([{ count: 1, evidence: [{ text: 'm failed' }] }]);
  collector.over(A, lineOf({ line: 4, text: 'it works now' }));
  expect(collector.findings()).toEqual([]);
});

test('createFindingCollector counts the lines of all machines, however many there are', () => {
  const collector = createFindingCollector();
  for (let host = 0; host < 200; host += 1)
    collector.add({ rule: A, groups: {} }, lineOf({ host: `n${host}`, line: host }));

  expect(collector.findings()).toMatchObject([{ count: 200 }]);
});
