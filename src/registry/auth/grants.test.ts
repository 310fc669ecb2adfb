import { expect, test } from 'vitest';
import {
  formatGrant,
  formatGrants,
  grantsOf,
  isAllowed,
  parseGrant,
  parseGrants,
} from './grants.ts';

test('isAllowed lets a role do what lesser roles may, below its prefix only', () => {
  const grants = [parseGrant('push:team'), parseGrant('pull')];

  expect(isAllowed(grants, 'push', 'team')).toBe(true);
  expect(isAllowed(grants, 'push', 'team/app')).toBe(true);
  expect(isAllowed(grants, 'push', 'teams/app')).toBe(false);
  expect(isAllowed(grants, 'delete', 'team/app')).toBe(false);
  expect(isAllowed(grants, 'pull', 'other')).toBe(true);
  expect(isAllowed([], 'pull', 'other')).toBe(false);
});

test('parseGrant and formatGrant are inverses', () => {
  for (const text of ['pull', 'push:a/b', 'delete:x'])
    expect(formatGrant(parseGrant(text))).toBe(text);
  for (const text of ['', 'own', 'push:../x', 'pull:A']) {
    expect(() => parseGrant(text)).toThrow(`Cannot use "${text}" as a grant`);
  }
});

test('parseGrants reads what formatGrants writes and names a wrong field', () => {
  const users = { b: [parseGrant('push:a')], a: [] };

  expect(parseGrants('grants.yaml', formatGrants(users))).toEqual(users);
  expect(parseGrants('grants.yaml', '')).toEqual({});
  const wrong = 'users: { a: [{ role: root }] }';
  expect(() => parseGrants('grants.yaml', wrong)).toThrow('users.a.0.role');
  expect(() => parseGrants('grants.yaml', '{')).toThrow('Cannot read "grants.yaml"');
});

test('grantsOf lets a user without an entry pull, and one with an empty entry do nothing', () => {
  expect(grantsOf({}, 'anybody')).toEqual([{ role: 'pull', prefix: '' }]);
  expect(grantsOf({ nobody: [] }, 'nobody')).toEqual([]);
  expect(grantsOf({}, 'constructor')).toEqual([{ role: 'pull', prefix: '' }]);
});
