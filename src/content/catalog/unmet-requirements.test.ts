import { expect, test } from 'vitest';
import {
  catalogOf,
  chain,
  needsPackage,
  type PackageSpec,
  packageDocuments,
  wanted,
} from '../../../test/support/catalogs.ts';
import { selectCatalog } from './select/select-catalog.ts';
import { unmetWarnings } from './unmet-requirements.ts';

const USER: PackageSpec = {
  name: 'user',
  channels: { stable: chain('1.0.0') },
  bundles: { '1.0.0': { requires: [needsPackage('store', '>=1.0.0')] } },
};
const STORE: PackageSpec = { name: 'store', channels: { stable: chain('0.9.0', '1.0.0') } };
const OTHER: PackageSpec = { name: 'other', channels: { stable: chain('1.0.0') } };

function named(name: string, packages: readonly PackageSpec[], ...asked: readonly string[]) {
  const catalog = catalogOf(packages.flatMap(packageDocuments));
  const request = { packages: asked.map((one) => wanted(one)), full: false };
  return { name, catalog, selection: selectCatalog(catalog, request, { dependencies: true }) };
}

test('unmetWarnings has nothing to say where every requirement is met', () => {
  expect(unmetWarnings([named('a', [USER, STORE], 'user')])).toEqual([]);
  expect(unmetWarnings([])).toEqual([]);
});

test('unmetWarnings tells what a bundle needs that its catalog does not offer', () => {
  expect(unmetWarnings([named('a', [USER], 'user')])).toEqual([
    {
      subject: 'catalog a',
      message: 'user.v1.0.0 needs package store >=1.0.0, which nothing in a offers',
      hint: 'Add the catalog that has it, or take other versions; --no-dependencies does not look',
    },
  ]);
});

test('unmetWarnings says which package of another catalog would do', () => {
  const [warning] = unmetWarnings([
    named('a', [USER], 'user'),
    named('b', [OTHER, STORE], 'other'),
  ]);

  expect(warning?.hint).toBe('Add package store of b');
});

test('unmetWarnings is content with what is taken from another catalog', () => {
  expect(
    unmetWarnings([
      named('a', [USER], 'user'),
      named('c', [OTHER], 'other'),
      named('b', [STORE], 'store'),
    ]),
  ).toEqual([]);
});
