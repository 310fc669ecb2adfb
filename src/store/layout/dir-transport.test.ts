import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chunksOf, collect } from '../../../test/support/bytes.ts';
import { copyRoot } from '../../../test/support/copy-image.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { splitDigest } from '../../oci/digest.ts';
import { dirSource, openDirTarget } from './dir-transport.ts';

const ctx = silentContext();

async function someIndex() {
  const images = new MemoryImages();
  const layer = await images.addLayer([{ name: 'etc/motd', content: 'hello' }]);
  const image = images.addImage([layer]);
  const index = images.addIndex([{ ...image, platform: { os: 'linux', architecture: 'amd64' } }]);
  return { images, layer, image, index };
}

test('dirSource reads back the index that openDirTarget stored', async () => {
  const { images, layer, image, index } = await someIndex();
  const root = join(await tempDir(), 'new');

  const target = await openDirTarget(root);
  await copyRoot(images, target, index);
  await target.can.setRoot(ctx, index);

  const source = dirSource(root);
  expect(await source.resolve(ctx, '')).toEqual(index);
  expect(await source.resolve(ctx, image.digest)).toEqual(image);
  expect(await source.resolve(ctx, layer.digest)).toBeUndefined();
  expect((await source.manifest(ctx, image)).children).toContainEqual(layer);
  expect((await collect(source.blob(ctx, layer, 3))).length).toBe(layer.size - 3);
  expect(await target.has(ctx, index)).toBe(true);
  expect(await readdir(root)).toHaveLength(5);
  expect(await readFile(join(root, 'version'), 'utf8')).toBe('Directory Transport Version: 1.1\n');
});

test('openDirTarget refuses wrong bytes and a folder with other files', async () => {
  const { layer } = await someIndex();
  const root = await tempDir();
  const target = await openDirTarget(root);

  const wrong = target.putBlob(ctx, layer, chunksOf('x'));
  await expect(wrong).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  expect(await target.has(ctx, layer)).toBe(false);
  expect(await readdir(root)).toEqual(['version']);

  const taken = await tempDir();
  await writeFile(join(taken, 'letter.txt'), 'dear');
  await expect(openDirTarget(taken)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});

test('openDirTarget takes a folder in which a write was killed, and removes what it left long ago', async () => {
  const root = await tempDir();
  const id = '0ac3cd53-8020-4dc0-abb1-bce634d89e68';
  const [old, young] = [`.${'a'.repeat(64)}.${id}.tmp`, `.version.${id}.tmp`];
  for (const name of [old, young]) await writeFile(join(root, name), 'half');
  await utimes(join(root, old), 0, 0);

  await openDirTarget(root);

  expect((await readdir(root)).toSorted()).toEqual([young, 'version']);
});

test('openDirTarget leaves a folder alone that only happens to have a file "version"', async () => {
  const root = await tempDir();
  await writeFile(join(root, 'version'), '1.2.3\n');

  await expect(openDirTarget(root)).rejects.toMatchObject({ code: 'INPUT_INVALID' });

  expect(await readFile(join(root, 'version'), 'utf8')).toBe('1.2.3\n');
});

test('dirSource names the file that is no manifest', async () => {
  const root = await tempDir();
  await writeFile(join(root, 'manifest.json'), 'torn');

  await expect(dirSource(root).resolve(ctx, '')).rejects.toMatchObject({
    code: 'MANIFEST_INVALID',
    message: `Cannot read "${join(root, 'manifest.json')}": it is not JSON`,
  });
});

test('dirSource names content that is missing or changed', async () => {
  const { images, layer, image } = await someIndex();
  const root = await tempDir();
  await copyRoot(images, await openDirTarget(root), image);
  const source = dirSource(root);
  await writeFile(join(root, 'manifest.json'), '{}');

  const { hex } = splitDigest(layer.digest);
  expect(await readdir(root)).toContain(hex);
  await expect(source.manifest(ctx, image)).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
  const { rm } = await import('node:fs/promises');
  await rm(join(root, hex));
  const reading = collect(source.blob(ctx, layer));
  await expect(reading).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
});
