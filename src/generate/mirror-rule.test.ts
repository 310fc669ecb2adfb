import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MirrorRule, normalizeRules } from './mirror-rule.ts';

const rule = (source: string, ...mirrors: string[]): MirrorRule => ({ source, mirrors });

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
