import { expect, test } from 'vitest';
import {
  addCatalogImage,
  chain,
  jsonOf,
  needsPackage,
  packageDocuments,
  wanted,
} from '../../../test/support/catalogs.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { silentContext } from '../../core/context.ts';
import { parseReference } from '../../oci/reference.ts';
import { resolveCatalog } from './resolve-catalog.ts';
import { selectionView } from './selection-view.ts';

test('selectionView says what would be mirrored, why, and what is missing for it', async () => {
  const images = new MemoryImages();
  const documents = [
    ...packageDocuments({
      name: 'user',
      channels: { beta: chain('1.0.0'), stable: chain('0.9.0', '1.0.0') },
      bundles: {
        '1.0.0': {
          requires: [needsPackage('store', '>=1.0.0'), needsPackage('absent', '1.0.0')],
          related: ['quay.io/user/operand:v1', 'quay.io/user/operand:v1'],
        },
      },
    }),
    ...packageDocuments({ name: 'store', channels: { stable: chain('1.0.0') } }),
  ];
  const root = await addCatalogImage(images, [{ name: 'all.json', content: jsonOf(documents) }]);
  const reference = parseReference('example.com/index:v1');
  const resolved = await resolveCatalog(
    silentContext(),
    { source: images, root, reference, isLayout: false },
    { packages: [wanted('user'), wanted('nobody')], full: false, dependencies: true },
  );

  const view = selectionView('example.com/index:v1', resolved);

  expect(view.catalog).toBe('example.com/index:v1');
  expect(view.packages).toEqual([
    {
      ...{ name: 'store', defaultChannel: 'stable', isDependency: true },
      channels: [{ name: 'stable', head: 'store.v1.0.0' }],
      bundles: [
        {
          ...{ name: 'store.v1.0.0', version: '1.0.0' },
          reasons: ['needed by user.v1.0.0: package store >=1.0.0'],
        },
      ],
    },
    {
      ...{ name: 'user', defaultChannel: 'beta', isDependency: false },
      channels: [
        { name: 'beta', head: 'user.v1.0.0' },
        { name: 'stable', head: 'user.v1.0.0' },
      ],
      bundles: [
        {
          ...{ name: 'user.v1.0.0', version: '1.0.0' },
          reasons: ['head of channel beta', 'head of channel stable'],
        },
      ],
    },
  ]);
  expect(view.images).toEqual([
    'quay.io/store/bundle:v1.0.0',
    'quay.io/user/bundle:v1.0.0',
    'quay.io/user/operand:v1',
  ]);
  expect(view.warnings).toHaveLength(1);
  expect(view.warnings[0]?.message).toContain('absent');
  expect(view.failures).toHaveLength(1);
  expect(JSON.stringify(view.failures)).toContain('nobody');
});
