import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bundleName,
  catalogOf,
  chain,
  constraint,
  type Document,
  needsApi,
  needsPackage,
  type PackageSpec,
  packageDocuments,
  wanted,
} from '../../../../test/support/catalogs.ts';
import type { OperatorPackage } from '../../image-set/image-set.ts';
import { faultOf } from './channel-graph.ts';
import { selectCatalog } from './select-catalog.ts';
import { formatReason, type Selection } from './selection.ts';

const VERSIONED: PackageSpec = {
  name: 'op',
  defaultChannel: 'stable',
  channels: {
    stable: chain('1.0.0', '1.1.0', '1.2.0', '2.0.0'),
    'stable-1': chain('1.0.0', '1.1.0', '1.2.0'),
  },
};

function select(
  specs: readonly PackageSpec[],
  packages: readonly OperatorPackage[],
  options: { full?: boolean; dependencies?: boolean } = {},
): Selection {
  const { full = false, dependencies = true } = options;
  return selectCatalog(
    catalogOf(specs.flatMap(packageDocuments)),
    { packages, full },
    { dependencies },
  );
}

const bundlesOf = ({ packages }: Selection) =>
  packages.flatMap(({ bundles }) => bundles.map(({ name }) => name));
const versionsOf = (selection: Selection) =>
  bundlesOf(selection).map((name) => name.slice(name.indexOf('.v') + 2));
const channelsOf = ({ packages }: Selection) =>
  packages.flatMap(({ channels }) => channels.map(({ name }) => name));

describe('selectCatalog', () => {
  test('takes the heads of all channels when nothing else is asked for', () => {
    expect(versionsOf(select([VERSIONED], []))).toEqual(['1.2.0', '2.0.0']);
    expect(versionsOf(select([VERSIONED], [wanted('op')]))).toEqual(['1.2.0', '2.0.0']);
  });

  test('takes everything with full', () => {
    const selection = select([VERSIONED], [wanted('op')], { full: true });

    expect(versionsOf(selection)).toEqual(['1.0.0', '1.1.0', '1.2.0', '2.0.0']);
  });

  test.each<[Partial<OperatorPackage>, string[], string[]]>([
    [{ minVersion: '1.1.0' }, ['1.1.0', '1.2.0', '2.0.0'], ['stable', 'stable-1']],
    [{ maxVersion: '1.1.0' }, ['1.0.0', '1.1.0'], ['stable', 'stable-1']],
    [{ minVersion: '1.1.0', maxVersion: '1.2' }, ['1.1.0', '1.2.0'], ['stable', 'stable-1']],
    [{ minVersion: '1.1.0', maxVersion: '1.1.0' }, ['1.1.0'], ['stable', 'stable-1']],
    [{ minVersion: '2.0.0' }, ['2.0.0'], ['stable']],
    [{ minVersion: 'v01.1-rc.1', maxVersion: '1+b.1' }, ['1.1.0', '1.2.0'], ['stable', 'stable-1']],
    [{ minVersion: '1.1', maxVersion: '1.2-rc.1' }, ['1.1.0'], ['stable', 'stable-1']],
    [{ minBundle: 'op.v1.2.0' }, ['1.2.0', '2.0.0'], ['stable', 'stable-1']],
    [{ minBundle: 'op.v2.0.0' }, ['2.0.0'], ['stable']],
  ])('with %j it takes %j', (range, versions, channels) => {
    const selection = select([VERSIONED], [wanted('op', range)]);

    expect(selection.failures).toEqual([]);
    expect(versionsOf(selection)).toEqual(versions);
    expect(channelsOf(selection)).toEqual(channels);
  });

  test('lets a channel have bounds of its own', () => {
    const channels = [
      { name: 'stable', minVersion: '2.0.0', maxVersion: undefined, minBundle: undefined },
      { name: 'stable-1', minVersion: '1.0.0', maxVersion: '1.1.0', minBundle: undefined },
    ];

    expect(versionsOf(select([VERSIONED], [wanted('op', { channels })]))).toEqual([
      '1.0.0',
      '1.1.0',
      '2.0.0',
    ]);
  });

  const channel = (name: string, range: Partial<OperatorPackage> = {}) => ({
    name,
    minVersion: range.minVersion,
    maxVersion: range.maxVersion,
    minBundle: range.minBundle,
  });

  test.each<[string, OperatorPackage, string, string]>([
    ['a misspelled package', wanted('opp'), 'Cannot find package "opp"', 'Did you mean "op"?'],
    [
      'a misspelled channel',
      wanted('op', { channels: [channel('stabel')] }),
      'Cannot find channel "stabel" of "op"',
      'Did you mean "stable"?',
    ],
    [
      'an unknown channel',
      wanted('op', { channels: [channel('nightly')] }),
      'Cannot find channel "nightly" of "op"',
      'It has stable, stable-1',
    ],
    [
      'a version that does not exist',
      wanted('op', { minVersion: '1.1.5', maxVersion: '1.1.5' }),
      'Cannot find version 1.1.5 in "op"',
      'It has 2.0.0, 1.2.0, 1.1.0, 1.0.0',
    ],
    [
      'an empty range of a named channel',
      wanted('op', { channels: [channel('stable-1', { minVersion: '1.9.0' })] }),
      'Cannot find versions from 1.9.0 in channel "stable-1" of "op"',
      'It has 1.2.0, 1.1.0, 1.0.0',
    ],
    [
      'an unknown minBundle',
      wanted('op', { channels: [channel('stable', { minBundle: 'op.v1.2.1' })] }),
      'Cannot find minBundle "op.v1.2.1" in channel "stable" of "op"',
      'Did you mean "op.v1.2.0"?',
    ],
    [
      'a default channel that is filtered out',
      wanted('op', { channels: [channel('stable-1')] }),
      'its default channel "stable" is not among the channels that are left',
      'Set "defaultChannel" of the package to "stable-1", or add "stable" to its channels',
    ],
    [
      'a defaultChannel that is filtered out',
      wanted('op', { defaultChannel: 'stable-1', minVersion: '2.0.0' }),
      'defaultChannel "stable-1" has nothing that is left',
      'Set "defaultChannel" of the package to "stable"',
    ],
    [
      'a misspelled defaultChannel',
      wanted('op', { defaultChannel: 'stable-2' }),
      'Cannot find channel "stable-2" of "op"',
      'Did you mean "stable-1"?',
    ],
  ])('refuses %s and says what exists', (_name, request, message, hint) => {
    const { failures, packages } = select([VERSIONED], [request]);

    expect(packages).toEqual([]);
    expect(failures).toHaveLength(1);
    expect(failures[0]?.message).toContain(message);
    expect(failures[0]?.hint).toContain(hint);
  });

  test.each<[string, Document[], object]>([
    [
      'a package without channels',
      [{ schema: 'olm.package', name: 'op', defaultChannel: 'stable' }],
      { message: 'Cannot find any version in "op"', hint: 'It has none' },
    ],
    [
      'a package without default channel',
      packageDocuments(VERSIONED).map((document) => ({ ...document, defaultChannel: undefined })),
      {
        message: 'Cannot filter package "op": the catalog names no default channel',
        hint: 'Set "defaultChannel" of the package to "stable" or "stable-1"',
      },
    ],
  ])('says what is wrong with %s', (_name, documents, failure) => {
    const request = { packages: [wanted('op')], full: false };

    const { failures } = selectCatalog(catalogOf(documents), request, { dependencies: true });

    expect(failures).toMatchObject([failure]);
  });

  test('changes the default channel when it is told to', () => {
    const request = wanted('op', { defaultChannel: 'stable-1', channels: [channel('stable-1')] });

    expect(select([VERSIONED], [request]).packages[0]).toMatchObject({
      defaultChannel: 'stable-1',
      channels: [{ name: 'stable-1', head: 'op.v1.2.0' }],
    });
  });

  test('one package that cannot be chosen does not cost the others', () => {
    const selection = select([VERSIONED], [wanted('nope'), wanted('op')]);

    expect(bundlesOf(selection)).toEqual(['op.v1.2.0', 'op.v2.0.0']);
    expect(selection.failures).toHaveLength(1);
  });

  test('warns of a bound that is no version', () => {
    const { warnings } = select([VERSIONED], [wanted('op', { maxVersion: '1.2.1' })]);

    expect(warnings).toEqual([
      {
        subject: 'package op',
        message: 'There is no version 1.2.1 of op; it counts as a bound',
        hint: expect.stringMatching(/Did you mean 1\.\d\.0\?/),
      },
    ]);
  });

  test('keeps what is out of range only where a channel needs it, and says so', () => {
    const odd: PackageSpec = { name: 'op', channels: { stable: chain('1.0.0', '3.0.0', '1.1.0') } };

    const { warnings, packages } = select([odd], [wanted('op', { maxVersion: '1.1.0' })]);

    expect(
      packages[0]?.bundles.map(({ name, reasons }) => [name, ...reasons.map(formatReason)]),
    ).toEqual([
      ['op.v1.0.0', 'in versions up to 1.1.0 of channel stable'],
      ['op.v1.1.0', 'in versions up to 1.1.0 of channel stable'],
      ['op.v3.0.0', 'out of range, but channel stable needs it to stay connected'],
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'op.v3.0.0 is out of range and comes along: without it channel stable would fall apart',
    ]);
  });

  test('takes one build of an exact version', () => {
    const rebuilt: PackageSpec = {
      name: 'op',
      channels: { stable: { '1.0.0': {}, '1.0.0+2': { skips: ['1.0.0'] } } },
    };
    const exactly = (version: string) =>
      versionsOf(select([rebuilt], [wanted('op', { minVersion: version, maxVersion: version })]));

    expect(exactly('1.0.0')).toEqual(['1.0.0']);
    expect(exactly('1.0.0+2')).toEqual(['1.0.0+2']);
  });

  test('reports deprecations of what is chosen, and of nothing else', () => {
    const old: PackageSpec = {
      ...VERSIONED,
      deprecated: [
        { schema: 'olm.package', message: 'Use\n another' },
        { schema: 'olm.channel', name: 'stable-1', message: 'Old' },
        { schema: 'olm.bundle', name: 'op.v1.0.0', message: 'Older' },
        { schema: 'olm.bundle', name: 'op.v2.0.0', message: 'Broken' },
      ],
    };

    const { warnings } = select([old], [wanted('op', { channels: [channel('stable')] })]);

    expect(warnings.map(({ message }) => message)).toEqual([
      'op.v2.0.0 is deprecated: Broken',
      'package op is deprecated: Use another',
    ]);
  });

  test('refuses channels the server would refuse', () => {
    const odd: PackageSpec = { name: 'op', channels: { stable: { '1.0.0': {}, '1.1.0': {} } } };

    expect(select([odd], [wanted('op')]).failures[0]).toMatchObject({
      code: 'CATALOG_INVALID',
      message: expect.stringContaining('it has 2 heads: op.v1.0.0, op.v1.1.0'),
    });
  });

  test('refuses a channel whose head has no bundle', () => {
    const documents = packageDocuments(VERSIONED).filter(({ name }) => name !== 'op.v2.0.0');

    const { failures } = selectCatalog(
      catalogOf(documents),
      { packages: [wanted('op')], full: false },
      { dependencies: true },
    );

    expect(failures[0]?.message).toContain('the catalog has no such bundle');
  });
});

describe('the dependencies of selectCatalog', () => {
  const store: PackageSpec = {
    name: 'store',
    defaultChannel: 'stable',
    channels: { stable: chain('1.0.0', '1.1.0', '2.0.0'), old: chain('0.9.0') },
    bundles: { '1.1.0': { provides: ['Disk'] }, '2.0.0': { provides: ['Disk', 'Tape'] } },
  };
  const user = (...requires: Document[]): PackageSpec => ({
    name: 'user',
    channels: { stable: chain('1.0.0') },
    bundles: { '1.0.0': { requires } },
  });
  const added = (selection: Selection) =>
    selection.packages.flatMap(({ isDependency, bundles }) => (isDependency ? bundles : []));

  test.each<[string, Document, string[]]>([
    ['the newest of a range', needsPackage('store', '>=1.0.0 <2.0.0'), ['store.v1.1.0']],
    ['the head where it does', needsPackage('store', '>=1.0.0'), ['store.v2.0.0']],
    ['another channel where it must', needsPackage('store', '<1.0.0'), ['store.v0.9.0']],
    ['whoever provides an API', needsApi('Disk'), ['store.v2.0.0']],
    [
      'each part of all',
      constraint({
        all: {
          constraints: [
            { package: { packageName: 'store', versionRange: '>=1.0.0' } },
            {
              not: { constraints: [{ package: { packageName: 'store', versionRange: '2.0.0' } }] },
            },
          ],
        },
      }),
      ['store.v1.1.0'],
    ],
    [
      'the first part of any that exists',
      constraint({
        any: {
          constraints: [
            { package: { packageName: 'gone' } },
            { gvk: { group: 'example.com', version: 'v1', kind: 'Tape' } },
          ],
        },
      }),
      ['store.v2.0.0'],
    ],
    [
      'nothing for a "not"',
      constraint({ not: { constraints: [{ package: { packageName: 'store' } }] } }),
      [],
    ],
  ])('take %s', (_name, requirement, names) => {
    const selection = select([store, user(requirement)], [wanted('user')]);

    expect(added(selection).map(({ name }) => name)).toEqual(names);
    expect(selection.unmet).toEqual([]);
    expect(selection.failures).toEqual([]);
  });

  test('are explained', () => {
    const [bundle] = added(
      select([store, user(needsPackage('store', '>=1.0.0'))], [wanted('user')]),
    );

    expect(bundle?.reasons.map(formatReason)).toEqual([
      'needed by user.v1.0.0: package store >=1.0.0',
    ]);
  });

  test('are not added when they are chosen already', () => {
    const selection = select(
      [store, user(needsApi('Disk'))],
      [wanted('store', { minVersion: '1.1.0', maxVersion: '1.1.0' }), wanted('user')],
    );

    expect(bundlesOf(selection)).toEqual(['store.v1.1.0', 'user.v1.0.0']);
  });

  test('join a package that is chosen, and its channel stays whole', () => {
    const selection = select(
      [store, user(needsPackage('store', '1.0.0'))],
      [wanted('user'), wanted('store')],
    );

    const [stores] = selection.packages;
    expect(
      stores?.channels.find(({ name }) => name === 'stable')?.entries.map(({ name }) => name),
    ).toEqual(['store.v1.0.0', 'store.v1.1.0', 'store.v2.0.0']);
    expect(stores?.channels.map(({ entries }) => faultOf(entries))).toEqual([undefined, undefined]);
  });

  test('set the default channel of what nobody configured', () => {
    const selection = select([store, user(needsPackage('store', '<1.0.0'))], [wanted('user')]);

    expect(selection.packages[0]).toMatchObject({ name: 'store', defaultChannel: 'old' });
  });

  test('are followed to the end, also in circles', () => {
    const ring = ['a', 'b', 'c'].map(
      (name, at, all): PackageSpec => ({
        name,
        channels: { stable: chain('1.0.0') },
        bundles: { '1.0.0': { requires: [needsPackage(all[(at + 1) % 3] ?? '', '1.0.0')] } },
      }),
    );

    expect(bundlesOf(select(ring, [wanted('b')]))).toEqual(['a.v1.0.0', 'b.v1.0.0', 'c.v1.0.0']);
  });

  test('that nobody offers are told', () => {
    const { unmet } = select([user(needsPackage('gone', '1.0.0'))], [wanted('user')]);

    expect(unmet).toMatchObject([{ bundle: 'user.v1.0.0', requirement: { package: 'gone' } }]);
  });

  test('that cannot be evaluated are warned of', () => {
    const { warnings, unmet } = select(
      [user(constraint({ cel: { rule: 'true' } }), needsPackage('x', 'soon'))],
      [wanted('user')],
    );

    expect(unmet).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'user.v1.0.0 needs something atoll cannot evaluate: CEL rule "true"',
      'user.v1.0.0 needs something atoll cannot evaluate: package x in the range "soon", which cannot be read',
    ]);
  });

  test('stay away when they are not wanted', () => {
    const selection = select([store, user(needsApi('Disk'))], [wanted('user')], {
      dependencies: false,
    });

    expect(bundlesOf(selection)).toEqual(['user.v1.0.0']);
  });

  const specs = fc
    .array(fc.array(fc.tuple(fc.nat(4), fc.nat(3)), { maxLength: 3 }), {
      minLength: 5,
      maxLength: 5,
    })
    .map((needs) =>
      needs.map(
        (each, at): PackageSpec => ({
          name: `p${at}`,
          channels: { stable: chain('0.0.0', '1.0.0', '2.0.0', '3.0.0') },
          bundles: {
            '3.0.0': { requires: each.map(([to, max]) => needsPackage(`p${to}`, `<=${max}.0.0`)) },
            '1.0.0': {
              requires: each.slice(1).map(([to]) => needsPackage(`p${(to + 1) % 5}`, '>=1.0.0')),
            },
          },
        }),
      ),
    );

  test('are complete, add nothing when run again, and do not depend on the order of documents', () => {
    fc.assert(
      fc.property(specs, fc.nat(), (packages, seed) => {
        const first = select(packages, [wanted('p0')]);
        const documents = packages.flatMap(packageDocuments);
        const shuffled = documents.toSorted((a, b) => place(a, seed) - place(b, seed));
        const other = selectCatalog(
          catalogOf(shuffled),
          { packages: [wanted('p0')], full: false },
          { dependencies: true },
        );
        const all = first.packages.map(({ name, bundles }) => {
          const versions = bundles.map((bundle) =>
            bundle.name.slice(bundle.name.indexOf('.v') + 2),
          );
          return wanted(name, { minVersion: versions[0], maxVersion: versions.at(-1) });
        });

        expect(other).toEqual(first);
        expect(first.unmet).toEqual([]);
        const chosen = new Set(bundlesOf(first));
        expect(chosen.has(bundleName('p0', '3.0.0'))).toBe(true);
        const again = select(packages, all);
        expect(bundlesOf(again)).toEqual([...chosen]);
      }),
      { numRuns: 60 },
    );
  });

  const place = (document: Document, seed: number) =>
    (JSON.stringify(document).length * 7919 + seed) % 101;
});
