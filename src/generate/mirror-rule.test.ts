import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  coversLocation,
  hostNameOf,
  isLocation,
  type MirrorRule,
  normalizeRules,
  ruleFor,
} from './mirror-rule.ts';

const rule = (source: string, ...mirrors: string[]): MirrorRule => ({ source, mirrors });

describe('isLocation', () => {
  test.each(['quay.io', 'm:5000', 'quay.io/a/b', '[::1]:5000/x', '127.0.0.1:1/a'])(
    'accepts %s',
    (text) => expect(isLocation(text)).toBe(true),
  );
  test.each(['https://quay.io', 'quay.io/a:1', 'quay.io/A', 'quay.io/', '', 'a b', '*.quay.io'])(
    'rejects "%s"',
    (text) => expect(isLocation(text)).toBe(false),
  );
  test('accepts a wildcard host where it is allowed, but never with a path', () => {
    expect(isLocation('*.redhat.io', { wildcard: true })).toBe(true);
    expect(isLocation('*.redhat.io/a', { wildcard: true })).toBe(false);
  });
});

test('hostNameOf drops port and path', () => {
  expect(hostNameOf('mirror.example:5000/ocp')).toBe('mirror.example');
});

test('coversLocation matches whole path components and wildcard hosts', () => {
  expect(coversLocation('quay.io/a', 'quay.io/a/b')).toBe(true);
  expect(coversLocation('quay.io/a', 'quay.io/ab')).toBe(false);
  expect(coversLocation('*.redhat.io', 'registry.redhat.io/x')).toBe(true);
  expect(coversLocation('*.redhat.io', 'redhat.io/x')).toBe(false);
});

test('ruleFor takes the longest source', () => {
  const rules = [rule('quay.io', 'm/quay'), rule('quay.io/a', 'm/a')];

  expect(ruleFor(rules, 'quay.io/a/b')?.mirrors).toEqual(['m/a']);
  expect(ruleFor(rules, 'quay.io/c')?.mirrors).toEqual(['m/quay']);
  expect(ruleFor(rules, 'docker.io/c')).toBeUndefined();
});

test('normalizeRules joins rules of one source, and the strictest policy wins', () => {
  const rules: MirrorRule[] = [
    { source: 'quay.io/a', mirrors: ['m/b'], policy: 'AllowContactingSource' },
    { source: 'quay.io/a', mirrors: ['m/a', 'm/b'], policy: 'NeverContactSource' },
  ];

  expect(normalizeRules(rules)).toEqual([
    { source: 'quay.io/a', mirrors: ['m/a', 'm/b'], policy: 'NeverContactSource' },
  ]);
});

test('normalizeRules does not depend on the order of the rules', () => {
  const location = fc.constantFrom('quay.io', 'quay.io/a', 'docker.io/b', 'm:5000/x');
  const rules = fc.array(
    fc.record({ source: location, mirrors: fc.array(location, { minLength: 1 }) }),
  );

  fc.assert(
    fc.property(rules, (some) => {
      expect(normalizeRules(some.toReversed())).toEqual(normalizeRules(some));
    }),
  );
});

test('normalizeRules refuses a source with a tag and a rule without mirrors', () => {
  expect(() => normalizeRules([rule('quay.io/a:1', 'm')])).toThrow('Cannot use "quay.io/a:1"');
  expect(() => normalizeRules([rule('quay.io/a', 'http://m')])).toThrow('as the mirror');
  expect(() => normalizeRules([rule('quay.io/a')])).toThrow('it has no mirror');
});
