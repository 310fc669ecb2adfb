import { expect, test } from 'vitest';
import { createLiteralMatcher } from './literal-matcher.ts';

/** All strings found in a text, each with where it begins. */
function foundIn(text: string, literals: readonly string[], end = text.length): string[] {
  const matcher = createLiteralMatcher(literals);
  const bytes = Buffer.from(text, 'latin1');
  const found: string[] = [];
  for (let hit = matcher.find(bytes, 0, end); hit; hit = matcher.find(bytes, hit.at + 1, end))
    found.push(...hit.literals.map((index) => literals[index] ?? ''));
  return found;
}

test('createLiteralMatcher finds strings at the beginning, in the middle and at the end', () => {
  expect(foundIn('one and two and three', ['one', 'two', 'three', 'four'])).toEqual([
    ...['one', 'two', 'three'],
  ]);
});

test('createLiteralMatcher finds every occurrence, also of strings that overlap or hold each other', () => {
  expect(foundIn('aaaa', ['aaa'])).toEqual(['aaa', 'aaa']);
  expect(foundIn('manifest unknown to us', ['unknown', 'manifest unknown', 'own to'])).toHaveLength(
    3,
  );
});

test('createLiteralMatcher finds a long string by any part of it, and not by a part alone', () => {
  const literals = ['certificate signed by unknown authority', 'certificate has expired', 'abc'];

  for (const one of literals) expect(foundIn(`x ${one} y`, literals)).toEqual([one]);
  expect(foundIn('certificate signed by my authority', literals)).toEqual([]);
  expect(foundIn('certificate signed by unknown', literals)).toEqual([]);
  expect(foundIn('signed by unknown authority', literals)).toEqual([]);
});

test('createLiteralMatcher ignores case, of letters only', () => {
  expect(foundIn('AZ az aZ', ['az '])).toEqual(['az ', 'az ']);
  expect(foundIn('az az', ['AZ '])).toEqual(['AZ ']);
  // These differ from letters and from each other only in the bit that tells upper from lower case.
  expect(foundIn('x@` x[{ x`@', ['x`@'])).toEqual(['x`@']);
  expect(foundIn('abc{ ABC[', ['abc['])).toEqual(['abc[']);
});

test('createLiteralMatcher tells apart what shares the low bits of its characters', () => {
  // "a1b" and "aqb" look alike to the table of blocks.
  expect(foundIn('a1b aqb', ['aqb'])).toEqual(['aqb']);
  expect(foundIn('a1b aqb', ['a1b', 'aqb'])).toEqual(['a1b', 'aqb']);
});

test('createLiteralMatcher looks only from where and to where it is told', () => {
  const text = 'needle needle needle';
  const matcher = createLiteralMatcher(['needle']);
  const placeFrom = (from: number, end: number) => matcher.find(Buffer.from(text), from, end)?.at;

  expect(placeFrom(0, text.length)).toBe(0);
  expect(placeFrom(1, text.length)).toBe(7);
  expect(placeFrom(8, 20)).toBe(14);
  expect(placeFrom(8, 19)).toBeUndefined();
  expect(placeFrom(15, text.length)).toBeUndefined();
  expect(foundIn('a needle', ['needle'], 7)).toEqual([]);
});

test('createLiteralMatcher says where the part is that it looked for', () => {
  const hit = createLiteralMatcher(['abc', 'xyzabcdef']).find(Buffer.from('..xyzabcdef'), 0, 11);

  expect(hit?.at).toBeGreaterThanOrEqual(2);
  expect(hit?.at).toBeLessThanOrEqual(8);
});

test('createLiteralMatcher finds each of many strings, whatever they share', () => {
  const words = ['registry', 'manifest', 'signature', 'timeout', 'refused', 'unknown', 'expired'];
  const literals = words.flatMap((one) => words.map((other) => `${one} ${other}`));

  for (const one of literals) expect(foundIn(`${'-'.repeat(300)}${one}`, literals)).toEqual([one]);
});

test('createLiteralMatcher jumps over no string that is longer than its steps can tell', () => {
  const long = 'x'.repeat(400).replaceAll(/x{4}/g, 'abcd');

  expect(foundIn(`${'-'.repeat(1000)}${long}`, [long])).toEqual([long]);
});

test('createLiteralMatcher refuses what is too short to be looked for, and nothing at all', () => {
  expect(() => createLiteralMatcher(['abc', 'ab'])).toThrow('shorter than three');
  expect(createLiteralMatcher(['abc']).find(Buffer.from('abc'), 0, 3)).toBeDefined();
});

const placeOf = (text: string, literals: readonly string[]) =>
  createLiteralMatcher(literals).find(Buffer.from(text), 0, text.length)?.at;

test('createLiteralMatcher looks for the part of a string that the others do not have', () => {
  expect(placeOf('abcjqk', ['abcjqk', 'abcdef', 'qrs'])).toBe(1);
  expect(placeOf('jqkabc', ['jqkabc', 'defabc', 'qrs'])).toBe(0);
  expect(placeOf('vqgwzbjk', ['vqgwzbjk', 'vqgwzbqr', 'zzzzz'])).toBe(3);
  expect(placeOf('jkvqgwzb', ['jkvqgwzb', 'qrvqgwzb', 'zzzzz'])).toBe(0);
});

test('createLiteralMatcher prefers a part whose end is rare: only there it has to stop', () => {
  // "abcdX" ends in a block of its own, "Xabcd" in one that the other string ends with, too.
  expect(placeOf('xabcdy', ['xabcdy', 'qabcd'])).toBe(1);
});
