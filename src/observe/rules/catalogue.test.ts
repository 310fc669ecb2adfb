import { expect, test } from 'vitest';
import { ruleOf } from '../../../test/support/rules.ts';
import {
  dataOf,
  meaningOf,
  parseCatalogue,
  parseRules,
  type Rule,
  shippedRules,
} from './catalogue.ts';

const entry = (fields: Readonly<Record<string, unknown>>) => ({
  category: 'install',
  kind: 'root',
  where: ['*'],
  sample: 'x',
  not_sample: 'y',
  cause: 'c',
  remedy: 'r',
  source: 's',
  ...fields,
});

const PATTERN = 'fixed text';

function catalogue(rules: readonly Readonly<Record<string, unknown>>[], causes?: object) {
  const failures = rules.map((fields) => entry({ pattern: PATTERN, ...fields }));
  const text = JSON.stringify({ version: 1, failures, ...(causes ? { causes } : {}) });
  return parseRules('mine.yaml', text);
}

const byId = (rules: readonly Rule[]) => Object.fromEntries(rules.map((rule) => [rule.id, rule]));

test('parseRules compiles what a rule looks for, whatever the case', () => {
  const rule = ruleOf({
    id: 'a',
    pattern: 'Fixed Text',
    over: 'it works again',
    needs: ['needed text'],
    unless: ['unwanted text'],
  });

  expect(rule.regexp?.test('some fixed TEXT')).toBe(true);
  expect(rule.overRegexp?.test('It works again')).toBe(true);
  expect(rule.needed.map(({ source }) => source)).toEqual(['needed text']);
  expect(rule.against.map(({ source }) => source)).toEqual(['unwanted text']);
});

test('parseRules fills in what a rule leaves open', () => {
  expect(catalogue([{ id: 'a' }])[0]).toMatchObject({
    overRegexp: undefined,
    needed: [],
    against: [],
    explains: [],
    commands: [],
    passing: false,
    rung: undefined,
  });
});

test('parseRules lets a rule apply to each place it names, and to text nobody can place', () => {
  const rule = ruleOf({ id: 'a', where: ['cli:oc', 'journal:node/*'] });

  const asked = ['cli:oc', 'journal:node/crio', 'text:unknown', 'cli:podman'];
  expect(asked.map((origin) => rule.appliesTo(origin))).toEqual([true, true, true, false]);
});

test('parseRules keeps a rule that wants its place known from text nobody can place', () => {
  const rule = ruleOf({ id: 'a', where: ['cli:oc'], placed: true });

  expect([rule.appliesTo('cli:oc'), rule.appliesTo('text:unknown')]).toEqual([true, false]);
});

test('parseRules adds what follows from a cause to each rule that means it', () => {
  const rules = byId(
    catalogue(
      [
        { id: 'one', cause_id: 'first', explains: ['second'] },
        { id: 'two', cause_id: 'first' },
        { id: 'three', cause_id: 'second' },
        { id: 'four' },
        { id: 'five' },
      ],
      {
        consequences: [
          { of: ['second', 'four'], are: ['five'] },
          { of: ['first'], are: ['four'] },
        ],
      },
    ),
  );

  expect(rules.one?.explains).toEqual(['second', 'four']);
  expect(rules.two?.explains).toEqual(['second', 'four']);
  expect(rules.three?.explains).toEqual(['five']);
});

test('parseRules puts a line that many rules share in place of its name', () => {
  const lines = { 'image-came': 'Pulled image' };
  const { a, b } = byId(
    catalogue(
      [
        { id: 'a', over: 'image-came' },
        { id: 'b', over: 'healthy' },
      ],
      { lines },
    ),
  );

  expect([a?.over, a?.overRegexp?.test('pulled image x')]).toEqual(['Pulled image', true]);
  expect(b?.over).toBe('healthy');
  expect(() => catalogue([{ id: 'a', over: 'image-gone' }], { lines })).toThrow(
    '"a" is over with "image-gone", which is no line of causes',
  );
});

test('parseRules says what comes and goes, and how far into a conversation a cause is', () => {
  const rules = byId(
    catalogue([{ id: 'low', cause_id: 'l' }, { id: 'high' }, { id: 'other', cause_id: 'o' }], {
      passing: ['l'],
      ladders: [
        [['o'], ['high']],
        [['l'], ['o']],
      ],
    }),
  );

  expect(rules.low).toMatchObject({ passing: true, rung: { ladder: 1, height: 0 } });
  expect(rules.high).toMatchObject({ passing: false, rung: { ladder: 0, height: 1 } });
  expect(rules.other).toMatchObject({ passing: false, rung: { ladder: 0, height: 0 } });
});

test('parseRules refuses a group that would never be shown', () => {
  expect(() => catalogue([{ id: 'a', pattern: 'some fixed text (?<end>\\w+)' }])).toThrow(
    '"a" has a group "end", which stands for whom a line talks to',
  );
});

test('parseRules refuses a text that names what no line can give', () => {
  const pattern = 'some fixed text (?<field>\\w+)';
  const cause = '{Registry} misses {field|a field}.';
  expect(catalogue([{ id: 'a', pattern, cause }])[0]?.cause).toBe(cause);
  expect(() => catalogue([{ id: 'a', pattern, remedy: 'Look at {files|it}.' }])).toThrow(
    'the text of "a" has {files|it}; it can have {registry}, {end}, or {group|otherwise}',
  );
});

const two = (fields: object) => [
  { id: 'a', ...fields },
  { id: 'b', cause_id: 'bb' },
];

test.each<[string, readonly Readonly<Record<string, unknown>>[], object | undefined, string]>([
  [
    'a rule that is there twice',
    [{ id: 'b' }, { id: 'a' }, { id: 'a' }],
    undefined,
    '"a" is there twice',
  ],
  [
    'a rule nobody knows in also',
    two({ also: ['c'] }),
    undefined,
    '"a" names "c", which does not exist',
  ],
  [
    'a rule nobody knows in instead_of',
    two({ instead_of: ['b', 'c'] }),
    undefined,
    '"a" names "c"',
  ],
  ['a cause no rule means that passes', two({}), { passing: ['x'] }, 'no rule means "x"'],
  [
    'a cause no rule means on a ladder',
    two({}),
    { ladders: [[['a'], ['bb', 'x']]] },
    'no rule means "x"',
  ],
  [
    'a consequence no rule means',
    two({}),
    { consequences: [{ of: ['a'], are: ['x'] }] },
    'no rule means "x"',
  ],
  [
    'the consequence of a cause no rule means',
    two({}),
    { consequences: [{ of: ['x'], are: ['a'] }] },
    'no rule means "x"',
  ],
  [
    'two causes that explain each other',
    two({ cause_id: 'aa', explains: ['bb'] }),
    { consequences: [{ of: ['bb'], are: ['aa'] }] },
    'explain each other',
  ],
  [
    'a pattern that is no regular expression',
    [{ id: 'a', pattern: 'abcdefgh(' }],
    undefined,
    'the pattern of "a": ',
  ],
  [
    'a need without fixed text',
    [{ id: 'a', needs: ['\\d+'] }],
    undefined,
    'the pattern of "a" has no fixed text of 6',
  ],
  [
    'an end of what is no line',
    [
      {
        id: 'a',
        pattern: undefined,
        object: { kind: 'N', all: [{ path: 'p', absent: true }] },
        over: 'it is over',
      },
    ],
    undefined,
    'only what lines say can be over',
  ],
  [
    'both a pattern and an object',
    [{ id: 'a', object: { kind: 'N', all: [{ path: 'p', absent: true }] } }],
    undefined,
    'either a pattern or an object',
  ],
  [
    'two tests of one path',
    [
      {
        id: 'a',
        pattern: undefined,
        object: { kind: 'N', all: [{ path: 'p', absent: true, is: ['x'] }] },
      },
    ],
    undefined,
    'one test per path',
  ],
  ['a place there is none of', [{ id: 'a', where: ['nowhere'] }], undefined, 'where'],
])('parseRules refuses %s', (_, rules, causes, found) => {
  expect(() => catalogue(rules, causes)).toThrow(
    expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining(found) }),
  );
});

test('parseRules names the catalogue that it cannot use', () => {
  expect(() => catalogue([{ id: 'a' }, { id: 'a' }])).toThrow(
    expect.objectContaining({
      message: 'Cannot use the catalogue "mine.yaml": "a" is there twice',
      details: { path: 'mine.yaml' },
    }),
  );
});

test('parseCatalogue joins files, in their order, and names the one that is wrong', () => {
  const text = (failures: readonly object[], causes?: object) =>
    JSON.stringify({ version: 1, failures, ...(causes ? { causes } : {}) });
  const words = text([], { passing: ['b'] });
  const files = (first: object) => [
    { file: 'one.yaml', text: text([first]) },
    { file: 'two.yaml', text: text([entry({ id: 'b', pattern: PATTERN })]) },
    { file: 'words.yaml', text: words },
  ];

  const rules = parseCatalogue('mine/', files(entry({ id: 'a', pattern: PATTERN })));

  expect(rules.map(({ id, passing }) => [id, passing])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(() => parseCatalogue('mine/', files({ id: 'a' }))).toThrow(/one\.yaml/);
});

test('dataOf gives a rule as it stands in the catalogue', () => {
  const rule = ruleOf({ id: 'a', pattern: PATTERN, unless: ['unwanted text'] });

  expect(
    Object.keys(dataOf(rule)).filter((key) => !(key in entry({ id: 'a', pattern: 'x' }))),
  ).toEqual(
    expect.not.arrayContaining([
      'regexp',
      'overRegexp',
      'needed',
      'against',
      'appliesTo',
      'passing',
      'rung',
    ]),
  );
  expect(dataOf(rule)).toMatchObject({ id: 'a', pattern: PATTERN, unless: ['unwanted text'] });
});

test('meaningOf is the word for a cause, or the rule itself', () => {
  expect([
    meaningOf(ruleOf({ id: 'a', cause_id: 'word' })),
    meaningOf(ruleOf({ id: 'a' })),
  ]).toEqual(['word', 'a']);
});

test('shippedRules reads the catalogue once', () => {
  expect(shippedRules().length).toBeGreaterThan(160);
  expect(shippedRules()).toBe(shippedRules());
});
