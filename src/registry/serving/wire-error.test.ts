import { describe, expect, test } from 'vitest';
import { AtollError } from '../../core/errors.ts';
import { WireError, wireErrorOf } from './wire-error.ts';

const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

const unwritable = (code: string) =>
  new AtollError('FILE_UNWRITABLE', 'no', { cause: Object.assign(new Error('no'), { code }) });

describe('wireErrorOf', () => {
  test('tells a client that meets a lock to come again, not that the registry is broken', () => {
    expect(wireErrorOf(new AtollError('LOCKED', 'Cannot write: in use'))).toMatchObject({
      code: 'TOOMANYREQUESTS',
      status: 429,
      headers: { 'retry-after': '1' },
      message: 'Cannot write: in use',
    });
  });

  test.each([
    ['the system says it', full],
    ['we say it', new AtollError('DISK_FULL', 'Cannot write: the disk is full')],
    ['it is behind a failed write', new AtollError('FILE_UNWRITABLE', 'no', { cause: full })],
  ])('answers 507 for a full disk when %s', (_, error) => {
    expect(wireErrorOf(error)).toMatchObject({ code: 'DENIED', status: 507 });
  });

  test.each([
    ['EROFS', Object.assign(new Error('no'), { code: 'EROFS' })],
    ['EACCES behind a failed write', unwritable('EACCES')],
    ['EPERM behind a failed write', unwritable('EPERM')],
  ])('says that the store is read-only for %s', (_, error) => {
    expect(wireErrorOf(error)).toMatchObject({ code: 'UNSUPPORTED', status: 405 });
  });

  test('does not take what cannot be read for read-only', () => {
    expect(wireErrorOf(Object.assign(new Error('no'), { code: 'EACCES' }))).toBeUndefined();
  });

  test('passes on what is meant for the client, and takes the rest for a bug', () => {
    const answer = new WireError('NAME_INVALID', 'no such name');

    expect(wireErrorOf(answer)).toBe(answer);
    expect(wireErrorOf(new Error('x is undefined'))).toBeUndefined();
    expect(wireErrorOf(new AtollError('MANIFEST_INVALID', 'no'))).toBeUndefined();
  });
});
