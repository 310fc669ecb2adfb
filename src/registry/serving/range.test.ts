import { expect, test } from 'vitest';
import { parseContentRange, parseRange } from './range.ts';

test.each([
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=50-1000', { start: 50, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=9-1', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=-', undefined],
  ['bytes=0-1,3-4', undefined],
  ['items=0-1', undefined],
  [undefined, undefined],
])('parseRange reads %s of 100 bytes', (header, range) => {
  expect(parseRange(header, 100)).toEqual(range);
});

test('parseRange finds nothing to cut out of an empty blob', () => {
  expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
  expect(parseRange('bytes=-5', 0)).toBe('unsatisfiable');
});

test('parseContentRange reads both spellings and nothing else', () => {
  expect(parseContentRange('0-1023')).toEqual({ start: 0, end: 1023 });
  expect(parseContentRange('bytes 5-9/100')).toEqual({ start: 5, end: 9 });
  for (const text of ['', '5', '-5', 'a-b', `0-${'9'.repeat(30)}`]) {
    expect(parseContentRange(text)).toBeUndefined();
  }
});
