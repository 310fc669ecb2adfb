import { beforeEach, expect, test, vi } from 'vitest';
import { readBuilt } from '../../core/assets.ts';
import type { LiteralClause } from './literals.ts';

// What was found for a pattern is kept: each test reads its own.
beforeEach(() => {
  vi.resetModules();
});

async function literalsOf(source: string, shortest = 3): Promise<string[] | undefined> {
  const { requiredLiterals } = await import('./literals.ts');
  return requiredLiterals(source, shortest);
}

async function clausesOf(source: string): Promise<readonly LiteralClause[] | undefined> {
  const { literalClauses } = await import('./literals.ts');
  return literalClauses(source, 3);
}

test.each([
  ['manifest unknown', ['manifest unknown']],
  ['Manifest UNKNOWN', ['manifest unknown']],
  ['(abcdef|ghijkl) x', ['abcdef x', 'ghijkl x']],
  ['ab(?:cd)?efghij', ['abefghij', 'abcdefghij']],
  ['many words?', ['many word']],
  ['(?:a|b) +rendered', [' rendered']],
  ['failed to .*(?:elephant|leopard)', ['elephant', 'leopard']],
  ['^(?!.*never seen).*pinging registry', ['pinging registry']],
  ['a\\d{2,5} is already bound', [' is already bound']],
  ['say "hello" to everybody', [' to everybody']],
  ['5\\.6\\/x longer text', ['5.6/x longer text']],
  ['x+yyyyyyy', ['xyyyyyyy']],
  ['yyyyyyyx+', ['yyyyyyyx']],
  ['(?<name>[^"]+) is gone', [' is gone']],
  ['^begin of a line$', ['begin of a line']],
  ['a word\\b and more', ['a word and more']],
  ['colou?red text', ['colored text', 'coloured text']],
  ['colou{0,1}red text', ['red text']],
  ['some(?:thing){0,3} longer', [' longer']],
  ['lazy.*?animals here', ['animals here']],
  ['[\\]a-z]+ after a class', [' after a class']],
  ['see(?= ahead) nothing', ['see nothing']],
  ['see(?<! behind) nothing', ['see nothing']],
  ['tab\\there it goes', ['here it goes']],
  ['(?:short|much longer text|longer text)', ['short', 'longer text']],
  ['unauthorized|authentication required', ['unauthorized', 'authentication required']],
  // Healthy logs are full of the first.
  ['context deadline exceeded .*walrus', ['walrus']],
  ['abc .*longer than that', ['longer than that']],
  // Of equals the one with fewer spellings, of several spellings the shortest counts.
  ['(?:alphabet|betagamm|deltaeps) .*sunflower', ['sunflower']],
  ['sunflower.*(?:alphabet|betagamm|deltaeps) ', ['sunflower']],
  ['(?:abcdef|a very long word) .*middleone', ['middleone']],
  // Better a common word than one that is too short.
  ['(?:abcde|a very long word).*failed to', ['failed to']],
  ['errors.*wolves', ['wolves']],
  ['x{10,20}yyyyyyy', ['xyyyyyyy']],
  ['x{1,}yyyyyyy', ['xyyyyyyy']],
  ['x{12}yyyyyyy', ['xyyyyyyy']],
  ['x{0,12}yyyyyyy', ['yyyyyyy']],
  ['(?<a_name>abcdefgh)', ['abcdefgh']],
  ['(?:abc|abcdef) is here', ['abc is here', 'abcdef is here']],
])('requiredLiterals of /%s/', async (source, literals) => {
  expect((await literalsOf(source))?.toSorted()).toEqual(literals.toSorted());
});

test.each(['\\d+', '(abcdef|\\w+)', '.*', 'ab', '(?:abcdef)?', '(?:abcdef)*', '(?!abcdef)'])(
  'requiredLiterals finds none in /%s/',
  async (source) => {
    expect(await literalsOf(source)).toBeUndefined();
  },
);

test('requiredLiterals wants each to be as long as it is asked for', async () => {
  expect(await literalsOf('abcdef|ghijkl', 6)).toEqual(['abcdef', 'ghijkl']);
  expect(await literalsOf('abcdef|ghijk', 6)).toBeUndefined();
});

test('requiredLiterals looks for no more than a few spellings', async () => {
  const letters = '(?:a|b|c|d|e)';

  expect(await literalsOf(`${letters}${letters} and the rest`)).toEqual([' and the rest']);
  expect(await literalsOf('(?:a|b|c|d|e|f)(?:1|2|3|4) and the rest')).toHaveLength(24);
});

test.each<[string, LiteralClause[]]>([
  ['longest literal', [{ literal: 'longest literal', and: [], not: [] }]],
  ['longest literal .* second', [{ literal: 'longest literal ', and: [['second']], not: [] }]],
  [
    'longest literal .*(?:one|two|three)',
    [{ literal: 'longest literal ', and: [['one', 'two', 'three']], not: [] }],
  ],
  // Too short to tell lines apart, or escaped by some writers: no condition.
  ['longest literal .*ab', [{ literal: 'longest literal ', and: [], not: [] }]],
  ['longest literal .*a&b', [{ literal: 'longest literal ', and: [], not: [] }]],
  [
    '^(?!.*(?:never|not ever)).*longest literal',
    [{ literal: 'longest literal', and: [], not: ['never', 'not ever'] }],
  ],
  ['longest literal .*(?:good|a&b)', [{ literal: 'longest literal ', and: [], not: [] }]],
  [
    '(?:first .*alphabeta|second .*omegagamma) longer tail of it',
    [{ literal: ' longer tail of it', and: [['alphabeta', 'omegagamma']], not: [] }],
  ],
  // What else must not follow is not looked for.
  ['^(?!.*never|ever).*longest literal', [{ literal: 'longest literal', and: [], not: [] }]],
  ['^(?!.never).*longest literal', [{ literal: 'longest literal', and: [], not: [] }]],
  ['^(?!.*).*longest literal', [{ literal: 'longest literal', and: [], not: [] }]],
  ['x(?!.*never).*longest literal', [{ literal: 'longest literal', and: [], not: [] }]],
  // Only from the start does a lookahead see the whole line.
  ['longest literal(?!.*never)', [{ literal: 'longest literal', and: [], not: [] }]],
  ['^(?!never).*longest literal', [{ literal: 'longest literal', and: [], not: [] }]],
  [
    '(?:first .*alpha|second .*omega) longer tail',
    [{ literal: ' longer tail', and: [['first ', 'second '].map((one) => one.trim())], not: [] }],
  ],
])('literalClauses of /%s/', async (source, clauses) => {
  expect(await clausesOf(source)).toEqual(clauses);
});

test.each([
  ['^fixed text', true],
  ['^(?:fixed text|other text)', undefined],
  ['^.*fixed text', undefined],
  ['^x?fixed text', undefined],
  ['fixed text', undefined],
  ['(^fixed text|^longer text .*end)', true],
])('literalClauses of /%s/ know whether a message begins with them', async (source, atStart) => {
  const starts = (await clausesOf(source))?.map((clause) => clause.atStart);

  expect(new Set(starts)).toEqual(new Set([atStart]));
});

test('the build has for every pattern of the catalogue what the pattern says', async () => {
  const { clauses } = JSON.parse(readBuilt('failures.json') ?? '') as {
    readonly clauses: readonly [source: string, clauses: unknown][];
  };
  const { literalClauses } = await import('./literals.ts');
  const now = clauses.map(([source]) => [source, literalClauses(source, 1)]);

  expect(clauses).toEqual(now);
  const { shippedRules } = await import('../rules/catalogue.ts');
  const known = new Set(clauses.map(([source]) => source));
  const sources = shippedRules().flatMap(({ regexp, overRegexp, needed, against }) =>
    [regexp, overRegexp, ...needed, ...against].flatMap((one) => one?.source ?? []),
  );
  expect(sources.length).toBeGreaterThan(1000);
  expect(sources.filter((source) => !known.has(source))).toEqual([]);
});
