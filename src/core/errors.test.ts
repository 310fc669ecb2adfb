import { expect, test } from 'vitest';
import { ERROR_CODES } from './error-codes.ts';
import { AtollError, exitCodeOf, isTransient, messageOf, systemCodeOf } from './errors.ts';

test('exitCodeOf takes the status from the table, and 1 for a bug', () => {
  expect(exitCodeOf(new AtollError('USAGE', 'No'))).toBe(2);
  expect(exitCodeOf(new AtollError('IMAGES_MISSING', 'Some'))).toBe(7);
  expect(exitCodeOf(new TypeError('bug'))).toBe(1);
  expect(exitCodeOf('thrown text')).toBe(1);
});

test('ERROR_CODES use only the exit statuses that are documented, and never 0 or 1', () => {
  const exits = new Set(Object.values(ERROR_CODES).map(({ exit }) => exit));

  expect([...exits].filter((exit) => ![2, 3, 4, 5, 6, 7, 130].includes(exit))).toEqual([]);
});

test('isTransient follows the table, and is false for what nobody named', () => {
  expect(isTransient(new AtollError('REGISTRY_THROTTLED', 'Slow down'))).toBe(true);
  expect(isTransient(new AtollError('REGISTRY_DENIED', 'No'))).toBe(false);
  expect(isTransient(new Error('socket hang up'))).toBe(false);
});

test('AtollError keeps its cause, hint and details', () => {
  const cause = new Error('ENOENT');
  const error = new AtollError('FILE_UNREADABLE', 'Cannot read', {
    cause,
    hint: 'Look',
    details: { path: 'a' },
  });

  expect(error).toMatchObject({ name: 'AtollError', cause, hint: 'Look', details: { path: 'a' } });
});

test('messageOf and systemCodeOf read what they are given', () => {
  expect([messageOf(new Error('a')), messageOf('b'), messageOf(undefined)]).toEqual([
    'a',
    'b',
    'undefined',
  ]);
  expect(systemCodeOf(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('ENOENT');
  expect([systemCodeOf(undefined), systemCodeOf({ code: 4 })]).toEqual([undefined, undefined]);
});
