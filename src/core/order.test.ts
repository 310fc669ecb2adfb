import { expect, test } from 'vitest';
import { by, byFirst } from './order.ts';

test('byFirst sorts entries by code units of their keys, and keeps equal ones in order', () => {
  const entries: [string, number][] = [
    ['b', 1],
    ['a', 2],
    ['B', 3],
    ['a', 1],
  ];

  expect(entries.toSorted(byFirst)).toEqual([
    ['B', 3],
    ['a', 2],
    ['a', 1],
    ['b', 1],
  ]);
});

test('by sorts by one text of each', () => {
  expect([{ name: 'b' }, { name: 'a' }].toSorted(by(({ name }) => name))).toEqual([
    { name: 'a' },
    { name: 'b' },
  ]);
});

test('by keeps the order of what has the same text', () => {
  const items = [
    { name: 'b', at: 1 },
    { name: 'a', at: 2 },
    { name: 'a', at: 3 },
  ];

  expect(items.toSorted(by(({ name }) => name)).map(({ at }) => at)).toEqual([2, 3, 1]);
});
