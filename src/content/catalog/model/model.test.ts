import semver from 'semver';
import { describe, expect, test } from 'vitest';
import { catalogOf, packageDocuments } from '../../../../test/support/catalogs.ts';
import { formatRequirement, parseRequirement } from './requirement.ts';
import { parseVersionRange } from './version-range.ts';

describe('parseVersionRange', () => {
  test.each([
    ['>=1.13.0 <1.14.0', '1.13.5', true],
    ['>=1.13.0 <1.14.0', '1.14.0', false],
    ['>=1.13.0 <1.14.0', '1.14.0-rc.1', true],
    ['>= 1.0.0 < 2.0.0', '1.5.0', true],
    ['1.x || 3.0.0', '3.0.0', true],
    ['1.x || 3.0.0', '2.0.0', false],
    ['>1.0.0 !1.2.3', '1.2.3', false],
    ['!=1.2.3', '1.2.4', true],
    ['==1.2.3', '1.2.3', true],
    ['>=v1.0.0', '1.0.0', true],
    ['1.2.3', '1.2.3+0.1700p', true],
    ['1.2.x', '1.2.0-rc.1', false],
    ['1.2.x', '1.3.0-rc.1', true],
    ['<1.x', '1.0.0-rc.1', true],
    ['>1.2.x', '1.3.0-rc.1', false],
    ['<=1.x', '1.9.9', true],
    ['<=1.x', '2.0.0', false],
    ['!1.2.x', '1.2.9', false],
    ['>=1.2', '1.2.0', true],
  ])('%s takes in %s: %s', (range, version, expected) => {
    expect(parseVersionRange(range)?.(semver.parse(version) as semver.SemVer)).toBe(expected);
  });

  test.each(['', '   ', 'abc', '>=1.0.0 banana', '||', '1.x.3', '>1.x-rc1', 'x'.repeat(3000)])(
    'does not read %j',
    (text) => {
      expect(parseVersionRange(text)).toBeUndefined();
    },
  );
});

describe('parseRequirement', () => {
  test('reads packages, APIs and constraints made of them', () => {
    const value = {
      failureMessage: 'needs them',
      all: {
        constraints: [
          { package: { packageName: 'a', versionRange: '>=1.0.0' } },
          { gvk: { group: 'g', version: 'v1', kind: 'K' } },
          { not: { constraints: [{ package: { packageName: 'a', versionRange: '1.2.3' } }] } },
          { any: { constraints: [{ cel: { rule: 'properties.exists(p, true)' } }] } },
        ],
      },
    };

    const requirement = parseRequirement('olm.constraint', value);

    expect(requirement && formatRequirement(requirement)).toBe(
      'all of (package a >=1.0.0, API K g/v1, none of (package a 1.2.3), any of (CEL rule "properties.exists(p, true)"))',
    );
  });

  test.each([
    ['olm.package.required', {}, 'a required package without a name'],
    [
      'olm.package.required',
      { packageName: 'a', versionRange: 'soon' },
      'package a in the range "soon", which cannot be read',
    ],
    ['olm.gvk.required', { kind: 'K' }, 'a required API without a kind or a version'],
    ['olm.constraint', { all: {} }, 'an empty "all" constraint'],
    ['olm.constraint', { moon: 'full' }, 'a constraint of an unknown kind'],
    ['olm.constraint', null, 'a constraint that cannot be read'],
  ])('says what is wrong with %s %j', (type, value, found) => {
    expect(parseRequirement(type, value)).toEqual({ kind: 'broken', found });
  });

  test('does not follow constraints without an end', () => {
    let value: object = { package: { packageName: 'a' } };
    for (let depth = 0; depth < 50; depth += 1) value = { all: { constraints: [value] } };

    expect(JSON.stringify(parseRequirement('olm.constraint', value))).toContain('cannot be read');
  });

  test('leaves other properties alone', () => {
    expect(parseRequirement('olm.maxOpenShiftVersion', '4.19')).toBeUndefined();
  });
});

describe('CatalogBuilder', () => {
  const documents = packageDocuments({
    name: 'a',
    channels: { stable: { '1.0.0': {}, '1.1.0': { replaces: '1.0.0', skipRange: '<1.1.0' } } },
  });

  test('reads packages, channels and bundles, keys in any case', () => {
    const shouting = documents.map((document) =>
      Object.fromEntries(
        Object.entries(document).map(([key, value]) => [key.toUpperCase(), value]),
      ),
    );

    expect(catalogOf(shouting)).toEqual(catalogOf(documents));
    expect(catalogOf(documents).packages.get('a')).toMatchObject({
      defaultChannel: 'stable',
      problems: [],
    });
  });

  test('does not depend on the order of the documents', () => {
    expect(catalogOf(documents.toReversed())).toEqual(catalogOf(documents));
  });

  test('notes what makes a package unusable', () => {
    const [, channel, bundle] = documents;
    const odd = [
      ...documents.slice(1),
      channel as object,
      bundle as object,
      { schema: 'olm.bundle', package: 'a' },
    ] as Record<string, unknown>[];

    expect(catalogOf(odd).packages.get('a')?.problems).toEqual([
      'it has a bundle without a name',
      'it has no olm.package document',
      'it has the bundle "a.v1.0.0" twice',
      'it has the channel "stable" twice',
    ]);
  });

  test('survives documents that are nothing like what they say', () => {
    const odd = [
      { schema: 'olm.package', name: 'a', defaultChannel: 7 },
      {
        schema: 'olm.channel',
        package: 'a',
        name: 'c',
        entries: [null, 3, { name: '' }, { name: 'b', skips: [1, ''] }],
      },
      { schema: 'olm.bundle', package: 'a', name: 'b', properties: { x: 1 }, relatedImages: 'no' },
      { schema: 'olm.deprecations', package: 'a', entries: [{ reference: { schema: 'x' } }, 4] },
      { schema: 'olm.bundle', name: 'nobody' },
    ];

    expect(catalogOf(odd).packages.get('a')).toMatchObject({ deprecations: [] });
  });
});
