import { expect, test } from 'vitest';
import {
  catalogOf,
  chain,
  type PackageSpec,
  packageDocuments,
} from '../../../../test/support/catalogs.ts';
import type { Bundle } from '../model/catalog.ts';
import type { Requirement } from '../model/requirement.ts';
import { findMissing, type Market, unjudged } from './find-missing.ts';
import { Offer } from './offer.ts';
import { Providers } from './providers.ts';

const provides = { provides: ['Db'] };
const A: PackageSpec = {
  name: 'a',
  defaultChannel: 'stable',
  channels: { fast: chain('1.1.0', '2.0.0', '3.0.0'), stable: chain('1.0.0', '1.1.0') },
  bundles: { '1.0.0': provides, '1.1.0': provides, '2.0.0': provides, '3.0.0': provides },
};
const B: PackageSpec = {
  name: 'b',
  channels: { only: chain('5.0.0') },
  bundles: { '5.0.0': provides },
};
const C: PackageSpec = {
  name: 'c',
  channels: { only: chain('1.0.0') },
  bundles: { '1.0.0': { provides: ['Cert'] } },
};

const api = (kind: string): Requirement => ({
  kind: 'api',
  api: { group: 'example.com', version: 'v1', kind },
});
const named = (name: string): Requirement => ({ kind: 'package', package: name, range: '' });
const not = (...of: readonly Requirement[]): Requirement => ({ kind: 'not', of });
const all = (...of: readonly Requirement[]): Requirement => ({ kind: 'all', of });
const any = (...of: readonly Requirement[]): Requirement => ({ kind: 'any', of });
const RULE: Requirement = { kind: 'rule', rule: 'cel' };

test.each([[[A, B]], [[B, A]]])(
  'Providers.find prefers the default channel, its head, and the newest',
  (specs) => {
    const providers = new Providers(catalogOf(specs.flatMap(packageDocuments)));

    const found = providers.find(api('Db')).map(({ bundle, channel }) => [bundle.name, channel]);

    expect(found).toEqual([
      ['a.v1.1.0', 'stable'],
      ['b.v5.0.0', 'only'],
      ['a.v1.0.0', 'stable'],
      ['a.v3.0.0', 'fast'],
      ['a.v2.0.0', 'fast'],
    ]);
  },
);

test('Providers.find passes over packages that cannot be mirrored and bundles in no channel', () => {
  const documents = packageDocuments(B).filter(({ schema }) => schema !== 'olm.channel');

  expect(new Providers(catalogOf(documents)).find(api('Db'))).toEqual([]);
});

function market(selected: readonly string[] = [], more: Partial<Market> = {}): Market {
  const catalog = catalogOf([A, B, C].flatMap(packageDocuments));
  const bundles = [...catalog.packages.values()].flatMap((each) => [...each.bundles.values()]);
  return {
    selected: new Offer(bundles.filter(({ name }) => selected.includes(name))),
    providers: new Providers(catalog),
    isUsable: () => true,
    isNear: () => false,
    ...more,
  };
}

const missing = (requirement: Requirement, on: Market = market()) =>
  findMissing(requirement, on)?.map(({ bundle }) => bundle.name);
const inPackage = (name: string) => (bundle: Bundle) => bundle.package === name;

test.each([
  ['what is selected already', api('Db'), ['b.v5.0.0'], []],
  ['the best of those that do', api('Db'), [], ['a.v1.1.0']],
  ['nothing for what must not be', not(api('Db')), [], []],
  ['nothing for what cannot be judged', RULE, [], []],
  ['nothing when nothing helps', api('Nobody'), [], undefined],
  [
    'an alternative that is met before one that is not',
    any(api('Db'), api('Cert')),
    ['c.v1.0.0'],
    [],
  ],
  [
    'the first alternative that can be',
    any(api('Nobody'), api('Cert'), api('Db')),
    [],
    ['c.v1.0.0'],
  ],
  ['no alternative', any(api('Nobody')), [], undefined],
  ['each part by its own bundle', all(api('Db'), api('Cert')), [], ['a.v1.1.0', 'c.v1.0.0']],
  ['only the part that is missing', all(api('Db'), api('Cert')), ['c.v1.0.0'], ['a.v1.1.0']],
  ['all parts or none', all(api('Db'), api('Nobody')), [], undefined],
  ['one bundle that is all of it', all(api('Db'), named('b')), [], ['b.v5.0.0']],
  [
    'no bundle that a "not" rules out',
    all(api('Db'), api('Cert'), not(named('a'))),
    [],
    ['b.v5.0.0', 'c.v1.0.0'],
  ],
])('findMissing gives %s', (_what, requirement, selected, expected) => {
  expect(missing(requirement, market(selected))).toEqual(expected);
});

test('findMissing takes what is near first, and only what may be used', () => {
  expect(missing(api('Db'), market([], { isNear: inPackage('b') }))).toEqual(['b.v5.0.0']);
  expect(missing(api('Db'), market([], { isUsable: inPackage('b') }))).toEqual(['b.v5.0.0']);
  expect(missing(api('Db'), market([], { isUsable: () => false }))).toBeUndefined();
});

test('unjudged lists what this tool does not evaluate, however deep', () => {
  expect(unjudged(all(api('Db'), any(RULE, not(RULE))))).toEqual([RULE, RULE]);
  expect(unjudged(api('Db'))).toEqual([]);
});
