import { expect, test } from 'vitest';
import {
  addCatalogImage,
  chain,
  jsonOf,
  needsPackage,
  type PackageSpec,
  packageDocuments,
  wanted,
} from '../../../test/support/catalogs.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { silentContext } from '../../core/context.ts';
import { parseReference } from '../../oci/reference.ts';
import { openCatalog } from './open-catalog.ts';
import { readCatalog } from './read-catalog.ts';
import { resolveCatalog, selectedDocuments } from './resolve-catalog.ts';

const ctx = silentContext();
const STORE: PackageSpec = { name: 'store', channels: { stable: chain('1.0.0', '1.1.0') } };
const USER: PackageSpec = {
  name: 'user',
  channels: { stable: chain('1.0.0') },
  bundles: { '1.0.0': { requires: [needsPackage('store', '1.0.0')] } },
};

async function made() {
  const images = new MemoryImages();
  const files = [STORE, USER].map((spec) => ({
    name: `${spec.name}.json`,
    content: jsonOf(packageDocuments(spec)),
  }));
  const root = await addCatalogImage(images, files);
  const reference = parseReference('example.com/index:v1');
  const place = { source: images, root, reference, isLayout: false };
  const reads = () => [...images.reads.values()].reduce((most, each) => Math.max(most, each), 0);
  return { place, reads };
}

test('selectedDocuments has the documents of named packages without reading again', async () => {
  const { place, reads } = await made();

  const resolved = await resolveCatalog(ctx, place, {
    packages: [wanted('store')],
    full: false,
    dependencies: true,
  });
  const documents = await selectedDocuments(ctx, resolved);

  expect(documents.map(({ name }) => name)).toEqual(['store', 'stable', 'store.v1.1.0']);
  expect(reads()).toBe(1);
});

test('selectedDocuments reads once more for what dependencies brought', async () => {
  const { place, reads } = await made();

  const resolved = await resolveCatalog(ctx, place, {
    packages: [wanted('user')],
    full: false,
    dependencies: true,
  });
  const documents = await selectedDocuments(ctx, resolved);

  expect(documents.map(({ name }) => name)).toEqual([
    'store',
    'stable',
    'store.v1.0.0',
    'user',
    'stable',
    'user.v1.0.0',
  ]);
  expect(reads()).toBe(2);
});

test('readCatalog keeps no text at all when there is more than it may keep', async () => {
  const { place } = await made();
  const open = await openCatalog(ctx, place);

  const some = await readCatalog(ctx, open, { keep: () => true });
  const none = await readCatalog(ctx, open, { keep: () => true, maxKeptBytes: 600 });

  expect(some.documents).toHaveLength(7);
  expect(none.documents).toBeUndefined();
  expect(none.catalog).toEqual(some.catalog);
});
