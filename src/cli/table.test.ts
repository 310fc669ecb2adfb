import { expect, test } from 'vitest';
import { createStyle } from './style.ts';
import { columns, table } from './table.ts';

test('columns are as wide as their widest cell, and lines end with their text', () => {
  expect(
    columns([
      ['a', 'bb', 'c'],
      ['ddd', 'e'],
    ]),
  ).toEqual(['a    bb  c', 'ddd  e']);
});

test('columns of numbers end together', () => {
  expect(
    columns(
      [
        ['a', '1'],
        ['b', '100'],
      ],
      { right: [1] },
    ),
  ).toEqual(['a    1', 'b  100']);
});

test('columns take no notice of colours, and of wide letters what they take', () => {
  const { bold } = createStyle(true);

  expect(
    columns([
      [bold('a'), 'b'],
      ['ccc', 'd'],
    ])[0],
  ).toBe(`${bold('a')}    b`);
  expect(
    columns([
      ['名', 'b'],
      ['ccc', 'd'],
    ])[0],
  ).toBe('名   b');
});

test('table puts rows under their heading', () => {
  expect(table(['NAME', 'N'], [['a', '1']], createStyle(false))).toBe('NAME  N\na     1');
});
