import { expect, test } from 'vitest';
import { groupedBy } from './grouped.ts';

test('groupedBy puts together what has the same key, in the order the first of each came', () => {
  expect(groupedBy(['fern', 'moss', 'fig', 'mint'], (word) => word.charAt(0))).toEqual([
    ['fern', 'fig'],
    ['moss', 'mint'],
  ]);
});
