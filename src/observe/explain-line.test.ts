import { expect, test } from 'vitest';
import { explainLines } from './explain-line.ts';
import { parseRules } from './rules/catalogue.ts';

const now = new Date('2026-08-21T00:00:00Z');

const entry = (id: string, pattern: string, more = '', kind = 'root') => `
  - id: ${id}
    category: bootstrap
    kind: ${kind}
    pattern: '${pattern}'
    sample: 'x'
    not_sample: 'nothing of it'
    cause: Something
    remedy: Something else
    source: a test${more || "\n    where: ['journal:bootstrap/*']"}`;

const anywhere = (more: string) => `\n    where: ['*']\n    ${more}`;

async function verdicts(text: string, ...entries: readonly string[]) {
  const rules = parseRules('a test', `version: 1\nfailures:${entries.join('')}`);
  const lines = await explainLines(text, { rules, now });
  return lines.map((line) => line.rules.map(({ id, verdict, because }) => [id, verdict, because]));
}

const LINE = 'Aug 20 10:11:12 bootstrap crio[1]: gizmo: connection refused by peer';

test('explainLines tells where a line is from, when it was said and what it says', async () => {
  const [line] = await explainLines(LINE, { rules: [], now });

  expect(line).toEqual({
    line: 1,
    decoded: 'gizmo: connection refused by peer',
    origins: ['journal:bootstrap/crio'],
    at: '2026-08-20T10:11:12.000Z',
    rules: [],
  });
});

test('explainLines lets a given origin win over what the line seems to be', async () => {
  const [line] = await explainLines(LINE, { rules: [], now, origin: 'cli:oc' });

  expect(line?.origins).toEqual(['cli:oc']);
});

test('explainLines keeps secrets and what acts on a terminal out of what it shows', async () => {
  const [line] = await explainLines('curl -u admin:hunter22 \x1b[31mred', { rules: [], now });

  expect(line?.decoded).not.toMatch(/hunter22|\p{Cc}/u);
});

test.each([
  ['it spoke', [entry('one', 'connection refused')], [['one', 'spoke', undefined]]],
  ['its fixed text is not there', [entry('one', 'something else')], []],
  [
    'its pattern does not match',
    [entry('one', 'connection refused$')],
    [['one', 'no-match', 'connection refused$']],
  ],
  [
    'it looks elsewhere',
    [entry('one', 'connection refused', "\n    where: ['cli:oc', installer-log]")],
    [['one', 'other-origin', 'cli:oc, installer-log']],
  ],
  [
    'it is about somebody else',
    [entry('one', 'connection refused', anywhere('about: [mirror]'))],
    [['one', 'other-party', 'mirror']],
  ],
  [
    'another line it needs is absent',
    [entry('one', 'connection refused', anywhere("needs: ['second fact']"))],
    [['one', 'needs-absent', 'second fact']],
  ],
  [
    'a line that speaks against it is there',
    [entry('one', 'connection refused', anywhere("unless: ['gizmo: conn']"))],
    [['one', 'unless-present', 'gizmo: conn']],
  ],
  [
    'another rule replaces it',
    [
      entry('one', 'connection refused'),
      entry('two', 'gizmo: connection', anywhere('instead_of: [one]')),
    ],
    [
      ['one', 'replaced', 'two'],
      ['two', 'spoke', undefined],
    ],
  ],
  [
    'a benign rule silences it',
    [entry('one', 'connection refused'), entry('two', 'gizmo: connection', '', 'benign')],
    [
      ['one', 'silenced', 'two'],
      ['two', 'spoke', undefined],
    ],
  ],
  [
    'a cause leaves no room for its symptom',
    [entry('one', 'connection refused', '', 'symptom'), entry('two', 'gizmo: connection')],
    [
      ['one', 'outranked', 'two'],
      ['two', 'spoke', undefined],
    ],
  ],
  [
    'another rule of the same cause knows the place better',
    [
      entry('one', 'connection refused', anywhere('cause_id: c')),
      entry('two', 'gizmo: conn', "\n    where: ['journal:bootstrap/*']\n    cause_id: c"),
    ],
    [
      ['one', 'outranked', 'two'],
      ['two', 'spoke', undefined],
    ],
  ],
  [
    'it only follows from a cause that another line tells of',
    [
      entry('one', 'connection refused', anywhere('cause_id: c')),
      entry('two', 'gizmo: conn', anywhere('explains: [c]')),
    ],
    [
      ['one', 'consequence', 'two'],
      ['two', 'spoke', undefined],
    ],
  ],
] as const)('explainLines says of a rule that %s', async (_, entries, expected) => {
  expect(await verdicts(LINE, ...entries)).toEqual([expected]);
});

test('explainLines takes needed facts from the other lines', async () => {
  const needs = entry('one', 'connection refused', anywhere("needs: ['second fact']"));

  expect(await verdicts(`${LINE}\nand a second fact`, needs)).toEqual([
    [['one', 'spoke', undefined]],
    [],
  ]);
});

test('explainLines says of a runbook that it only quotes', async () => {
  const [[rule] = []] = await verdicts(
    '- `connection refused` means',
    entry('one', 'connection refused', anywhere('also: []')),
  );

  expect(rule).toEqual(['one', 'quoted', undefined]);
});

test('explainLines refuses what is no text, nothing, or a whole log', async () => {
  for (const text of ['\0\0\0', ' \n', 'line\n'.repeat(51)])
    await expect(explainLines(text, { now })).rejects.toMatchObject({ code: 'USAGE' });
});

test('explainLines takes fifty lines, and leaves out empty ones without losing count', async () => {
  const lines = await explainLines(`one\n \n${'x\n'.repeat(47)}last`, { rules: [], now });

  expect(lines).toHaveLength(49);
  expect(lines[1]?.line).toBe(3);
});

test('explainLines reads a pasted object or record as the line it is', async () => {
  for (const text of ['{"apiVersion":"v1"}', '[{"phase":"service end"}]', '---'])
    expect(await explainLines(text, { rules: [], now })).toMatchObject([
      { decoded: text, origins: ['text:unknown'] },
    ]);
});

test('explainLines gives a line to what it goes on with', async () => {
  const [, second] = await explainLines(`${LINE}\nwords`, { rules: [], now });

  expect(second?.origins).toEqual(['journal:bootstrap/crio', 'text:unknown']);
});

test('explainLines asks a rule that has several needs for the first that is absent', async () => {
  const needs = entry(
    'one',
    'connection refused',
    anywhere("needs: ['gizmo: conn', 'second fact']"),
  );

  expect(await verdicts(LINE, needs)).toEqual([[['one', 'needs-absent', 'second fact']]]);
});

test('explainLines knows that an event of ours is put into other words', async () => {
  const event =
    '{"seq":1,"type":"image.failed","code":"GONE","source":"q/a","message":"was lost for ever"}';
  const rule = entry('one', '\\[GONE\\] .*was lost for ever', "\n    where: ['cli:atoll']");

  expect(await verdicts(event, rule)).toEqual([[['one', 'spoke', undefined]]]);
});
