import { expect, test } from 'vitest';
import { linearPattern } from './linear-pattern.ts';

test.each([
  ['(?i)ABC', 'xabcx', true],
  ['[[:digit:]]+$', 'a12', true],
  ['\\Aquay', 'my.quay', false],
  ['(?P<x>a)b', 'ab', true],
  ['^\\Qquay.io/a+b\\E:1', 'quay.io/a+b:1', true],
  ['\\Qa.b', 'axb', false],
  ['a\\p{Greek}', 'aβ', true],
  ['\\\\p', '\\p', true],
])('linearPattern reads %s as Go does', (pattern, text, matches) => {
  expect(linearPattern(pattern).test(text)).toBe(matches);
});

test('linearPattern refuses what is no pattern of RE2', () => {
  for (const pattern of ['(', '\\p', 'a(?=b)', '(a)\\1']) {
    expect(() => linearPattern(pattern)).toThrow(SyntaxError);
  }
});

test('linearPattern answers where a backtracking matcher would never', () => {
  expect(linearPattern('^(a+)+$').test(`${'a'.repeat(50_000)}!`)).toBe(false);
});
