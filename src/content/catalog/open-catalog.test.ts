import { expect, test } from 'vitest';
import { addCatalogImage } from '../../../test/support/catalogs.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { silentContext } from '../../core/context.ts';
import { parseReference } from '../../oci/reference.ts';
import { findCatalog, openCatalog } from './open-catalog.ts';

const ctx = silentContext();
const CONFIGS = 'operators.operatorframework.io.index.configs.v1';
const DATABASE = 'operators.operatorframework.io.index.database.v1';

async function found(tag: string, images: MemoryImages) {
  const reference = parseReference(`example.com/index:${tag}`);
  return findCatalog(ctx, { kind: 'registry', reference }, { source: () => images });
}

async function openedWith(config: object) {
  const images = new MemoryImages();
  images.addImage([await images.addLayer([])], 'v1', { config });
  return openCatalog(ctx, await found('v1', images));
}

test('findCatalog finds what the tag of a reference stands for, or says that there is none', async () => {
  const images = new MemoryImages();
  const root = await addCatalogImage(images, [], 'v1');

  expect(await found('v1', images)).toEqual({
    source: images,
    root,
    reference: parseReference('example.com/index:v1'),
    isLayout: false,
  });
  await expect(found('v2', images)).rejects.toMatchObject({
    code: 'IMAGE_UNKNOWN',
    message: 'Cannot find catalog example.com/index:v2',
  });
});

test('openCatalog says which image it reads, and where in it the catalog is', async () => {
  const images = new MemoryImages();
  const root = await addCatalogImage(images, [], 'v1');

  const open = await openCatalog(ctx, await found('v1', images));

  expect(open).toMatchObject({ root, configs: 'configs', isLayout: false });
  expect(open.image.descriptor.digest).toBe(root.digest);
  expect((await openedWith({ Labels: { [CONFIGS]: '/a/b/' } })).configs).toBe('a/b');
});

test.each([
  ['a database', { Labels: { [DATABASE]: '/database/index.db' } }, 'it holds a database'],
  ['no label', { Labels: {} }, `it has no label ${CONFIGS}`],
  ['no labels at all', {}, `it has no label ${CONFIGS}`],
  ['no config at all', undefined, `it has no label ${CONFIGS}`],
])('openCatalog refuses an image with %s', async (_, config, reason) => {
  const images = new MemoryImages();
  images.addImage([await images.addLayer([])], 'v1', config ? { config } : {});

  await expect(openCatalog(ctx, await found('v1', images))).rejects.toMatchObject({
    code: 'CATALOG_INVALID',
    message: expect.stringContaining(
      `Cannot use example.com/index:v1 as an operator catalog: ${reason}`,
    ),
  });
});
