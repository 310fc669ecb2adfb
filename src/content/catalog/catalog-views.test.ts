import { expect, test } from 'vitest';
import {
  catalogOf,
  chain,
  needsPackage,
  packageDocuments,
} from '../../../test/support/catalogs.ts';
import { bundleViews, channelViews, packageViews } from './catalog-views.ts';

const CATALOG = catalogOf([
  ...packageDocuments({
    name: 'db',
    defaultChannel: 'stable',
    channels: { fast: chain('1.0.0', '1.10.0', '2.0.0'), stable: chain('1.0.0', '1.10.0') },
    bundles: {
      '1.10.0': {
        provides: ['Database'],
        requires: [needsPackage('cert', '>=1')],
        related: ['quay.io/db/server:1'],
      },
    },
    deprecated: [
      { schema: 'olm.channel', name: 'fast', message: 'Use stable' },
      { schema: 'olm.bundle', name: 'db.v1.0.0', message: 'Too old' },
    ],
  }),
  ...packageDocuments({
    name: 'old',
    channels: { only: { '0.1.0': {}, '0.2.0': {} } },
    deprecated: [{ schema: 'olm.package', message: 'Gone' }],
  }),
]);

test('packageViews shows each package with the head of its default channel', () => {
  expect(packageViews(CATALOG)).toMatchObject([
    {
      name: 'db',
      defaultChannel: 'stable',
      channels: ['fast', 'stable'],
      bundles: 3,
      head: 'db.v1.10.0',
      version: '1.10.0',
      deprecated: false,
    },
    // Two heads are none.
    { name: 'old', bundles: 2, head: undefined, version: undefined, deprecated: true },
  ]);
});

test('channelViews shows the channels of one package or of all', () => {
  const fast = {
    package: 'db',
    name: 'fast',
    isDefault: false,
    head: 'db.v2.0.0',
    version: '2.0.0',
    entries: 3,
    deprecated: true,
  };

  expect(channelViews(CATALOG, 'db')).toMatchObject([
    fast,
    { name: 'stable', isDefault: true, head: 'db.v1.10.0', entries: 2, deprecated: false },
  ]);
  expect(channelViews(CATALOG).map(({ name }) => name)).toEqual(['fast', 'stable', 'only']);
  expect(() => channelViews(CATALOG, 'dbb')).toThrow('dbb');
});

test('bundleViews shows bundles, the newest first, of one package or channel or of all', () => {
  const versions = (query: Parameters<typeof bundleViews>[1]) =>
    bundleViews(CATALOG, query).map(({ version }) => version);

  expect(versions({ package: 'db' })).toEqual(['2.0.0', '1.10.0', '1.0.0']);
  expect(versions({ package: 'db', channel: 'stable' })).toEqual(['1.10.0', '1.0.0']);
  expect(versions({ channel: 'only' })).toEqual(['0.2.0', '0.1.0']);
  expect(versions({})).toHaveLength(5);
  expect(() => versions({ package: 'db', channel: 'stabel' })).toThrow('stabel');
});

test('bundleViews tells what a bundle is, brings and needs', () => {
  const [, middle, oldest] = bundleViews(CATALOG, { package: 'db' });

  expect(middle).toEqual({
    package: 'db',
    name: 'db.v1.10.0',
    version: '1.10.0',
    channels: ['fast', 'stable'],
    deprecated: false,
    image: 'quay.io/db/bundle:v1.10.0',
    relatedImages: ['quay.io/db/server:1'],
    provides: [expect.stringContaining('Database')],
    requires: [expect.stringContaining('cert')],
  });
  expect(oldest?.deprecated).toBe(true);
});

test('bundleViews puts bundles without a version last', () => {
  const catalog = catalogOf([
    { schema: 'olm.package', name: 'p', defaultChannel: 'c' },
    { schema: 'olm.channel', package: 'p', name: 'c', entries: [{ name: 'x' }] },
    { schema: 'olm.bundle', package: 'p', name: 'x', image: 'quay.io/p/x:1', properties: [] },
    ...packageDocuments({ name: 'p', channels: { d: { '1.0.0': {} } } }).filter(
      ({ schema }) => schema === 'olm.bundle',
    ),
  ]);

  expect(bundleViews(catalog, {}).map(({ name }) => name)).toEqual(['p.v1.0.0', 'x']);
});
