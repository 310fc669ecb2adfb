import { expect, test } from 'vitest';
import { AtollError } from '../core/errors.ts';
import { errorJson, errorText } from './error-text.ts';
import { createStyle } from './style.ts';

const style = createStyle(false);

test('errorText prints what, why, what next and the code', () => {
  const socket = new Error('connect ECONNREFUSED 127.0.0.1:5000');
  const cause = new Error('fetch failed', { cause: socket });
  const error = new AtollError('REGISTRY_UNAVAILABLE', 'Cannot reach "mirror:5000"', {
    hint: 'Start the registry',
    cause,
  });

  expect(errorText(error, style)).toBe(
    [
      'Cannot reach "mirror:5000" [REGISTRY_UNAVAILABLE]',
      '  because: fetch failed',
      '  because: connect ECONNREFUSED 127.0.0.1:5000',
      '  next: Start the registry',
    ].join('\n'),
  );
});

test('errorText does not say the same twice, and survives a circle of causes', () => {
  const inner = new Error('ENOENT');
  const outer = new AtollError('FILE_UNREADABLE', 'Cannot read "a": ENOENT', { cause: inner });
  inner.cause = outer;

  expect(errorText(outer, style)).toBe('Cannot read "a": ENOENT [FILE_UNREADABLE]');
});

test('errorText looks into the failures of several addresses', () => {
  const cause = new AggregateError([new Error('connect ECONNREFUSED ::1:5000')]);
  const error = new AtollError('REGISTRY_UNAVAILABLE', 'Cannot reach "m"', { cause });

  expect(errorText(error, style)).toContain('because: connect ECONNREFUSED ::1:5000');
});

test('errorText shows the stack of a bug, also of its cause, and asks for a report', () => {
  const text = errorText(new TypeError('x is undefined', { cause: new Error('deep') }), style);

  expect(text).toContain('bug in atoll');
  expect(text).toMatch(/TypeError: x is undefined\n\s+at /);
  expect(text).toMatch(/caused by: Error: deep\n\s+at /);
  expect(text).toContain('Please report it');
  expect(errorText('thrown text', style)).toContain('thrown text');
});

test('errorJson holds the same facts for programs', () => {
  const error = new AtollError('FILE_UNREADABLE', 'Cannot read "a"', {
    details: { path: 'a' },
    cause: new Error('ENOENT'),
  });

  expect(errorJson(error)).toEqual({
    code: 'FILE_UNREADABLE',
    message: 'Cannot read "a"',
    hint: undefined,
    details: { path: 'a' },
    because: ['ENOENT'],
  });
  expect(errorJson(new Error('oops'))).toMatchObject({ code: 'BUG', message: 'oops' });
});
