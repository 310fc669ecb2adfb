import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

const packages = ['quay-operator', 'odf-operator', 'mirror', 'status'];

test.each([
  ['quay-opreator', 'quay-operator'],
  ['mirorr', 'mirror'],
  ['STATUS', 'status'],
  ['stats', 'status'],
])('nearest takes %s for %s', (word, meant) => {
  expect(nearest(word, packages)).toBe(meant);
});

test('nearest does not guess wildly', () => {
  expect(nearest('install', packages)).toBeUndefined();
  expect(nearest('', packages)).toBeUndefined();
  expect(nearest('x', [])).toBeUndefined();
});

test.each([
  ['a swap is one edit', 'aptch', ['batch', 'patch'], 'patch'],
  ['a swap at the end is one edit', 'registyr', ['registxx', 'registry'], 'registry'],
  ['two swaps are two', 'badc', ['abcd'], 'abcd'],
  ['a swap of other letters is none', 'abxy', ['bazz'], undefined],
  ['the first of equals is taken', 'cat', ['bat', 'hat'], 'bat'],
  ['two edits of a short word are allowed', 'abc', ['axx'], 'axx'],
  ['three edits of a short word are too many', 'abc', ['xyz'], undefined],
  ['a long word may have a third of it wrong', 'abcdefghijkl', ['abcdefghWXYZ'], 'abcdefghWXYZ'],
  ['more than a third is too much', 'abcdefghijkl', ['abcdefgVWXYZ'], undefined],
  ['letters that are missing count', 'additionalTrust', ['additionalTrustB'], 'additionalTrustB'],
  ['nothing is near nothing', 'abc', [], undefined],
])('nearest: %s', (_rule, word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});
