import { describe, expect, test } from 'vitest';
import { catalogOf, packageDocuments } from '../../../../test/support/catalogs.ts';
import type { Requirement } from '../model/requirement.ts';
import { isJudged, meets, Offer } from './offer.ts';

const [STORE, QUEUE] = ['store', 'queue'].map((name) => {
  const spec = {
    name,
    channels: { stable: { '1.2.0': {} } },
    bundles: { '1.2.0': { provides: [name] } },
  };
  const bundle = catalogOf(packageDocuments(spec))
    .packages.get(name)
    ?.bundles.values()
    .next().value;
  if (!bundle) throw new Error('there is a bundle');
  return bundle;
}) as [Parameters<typeof meets>[0], Parameters<typeof meets>[0]];

const needs = (name: string, range = ''): Requirement => ({
  kind: 'package',
  package: name,
  range,
});
const api = (kind: string, group = 'example.com', version = 'v1'): Requirement => ({
  kind: 'api',
  api: { group, version, kind },
});
const RULE: Requirement = { kind: 'rule', rule: 'size < 3', message: 'too large' } as Requirement;

describe('meets', () => {
  test.each<[string, Requirement, boolean]>([
    ['its package', needs('store'), true],
    ['another package', needs('queue'), false],
    ['a version in range', needs('store', '>=1.0.0'), true],
    ['a version out of range', needs('store', '<1.0.0'), false],
    ['a range that cannot be read', needs('store', 'about one'), false],
    ['a kind it provides', api('store'), true],
    ['a kind of another group', api('store', 'example.org'), false],
    ['a kind of another version', api('store', 'example.com', 'v2'), false],
    ['another kind', api('queue'), false],
    ['all of several', { kind: 'all', of: [needs('store'), api('store')] }, true],
    ['not all of several', { kind: 'all', of: [needs('store'), api('queue')] }, false],
    ['one of several', { kind: 'any', of: [needs('queue'), api('store')] }, true],
    ['none of several', { kind: 'any', of: [needs('queue'), api('queue')] }, false],
    ['what it is not', { kind: 'not', of: [needs('queue')] }, true],
    ['what it is', { kind: 'not', of: [needs('queue'), needs('store')] }, false],
    ['not what nobody can judge', { kind: 'not', of: [RULE] }, true],
    ['a rule nobody can judge', RULE, true],
  ])('answers for %s', (_what, requirement, met) => {
    expect(meets(STORE, requirement)).toBe(met);
  });

  test('wants a version where a range asks for one', () => {
    expect(meets({ ...STORE, version: undefined }, needs('store', '>=0.0.0'))).toBe(false);
    expect(meets({ ...STORE, version: undefined }, needs('store'))).toBe(true);
  });
});

test('isJudged knows what a look at bundles cannot decide', () => {
  expect([needs('store'), api('x'), RULE].map(isJudged)).toEqual([true, true, false]);
});

describe('Offer', () => {
  const offer = new Offer([QUEUE, STORE]);

  test('finds bundles by package and by the kinds they provide, in the order they came', () => {
    expect(offer.meeting(needs('store'))).toEqual([STORE]);
    expect(offer.meeting(api('queue'))).toEqual([QUEUE]);
    expect(offer.meeting(api('queue', 'example.org'))).toEqual([]);
    expect(
      offer.meeting({ kind: 'any', of: [needs('queue'), needs('store'), api('queue')] }),
    ).toEqual([QUEUE, STORE]);
  });

  test('has nobody for what no bundle can be looked up by', () => {
    expect(offer.meeting(RULE)).toEqual([]);
    expect(offer.meeting({ kind: 'not', of: [needs('store')] })).toEqual([]);
  });
});
