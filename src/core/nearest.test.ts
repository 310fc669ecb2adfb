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
