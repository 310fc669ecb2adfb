import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { createFolderListings } from './folder-listings.ts';

async function folderOf(...names: readonly string[]) {
  const folder = await tempDir();
  for (const name of names) await writeFile(join(folder, `${name}.json`), '{}');
  const settle = () => utimes(folder, new Date(0), new Date(0));
  await settle();
  const reads: string[] = [];
  const listings = createFolderListings(async (directory) => {
    reads.push(directory);
    return await readdir(directory);
  });
  const listed = async () => (await listings.read(folder)).entries.map(({ name }) => name);
  return { folder, settle, reads, listings, names: listed };
}

test('createFolderListings reads a folder once for as long as it stays the same', async () => {
  const { folder, reads, names } = await folderOf('b', 'a');

  expect(await names()).toEqual(['a', 'b']);
  expect(await names()).toEqual(['a', 'b']);
  expect(reads).toHaveLength(1);

  await writeFile(join(folder, 'c.json'), '{}');
  expect(await names()).toEqual(['a', 'b', 'c']);
  expect(reads).toHaveLength(2);
});

test('createFolderListings does not trust a folder that has changed a moment ago', async () => {
  const { folder, reads, names } = await folderOf('a');
  await writeFile(join(folder, 'b.json'), '{}');

  await names();
  await names();

  expect(reads).toHaveLength(2);
});

test('createFolderListings reads a folder twice for a hundred who ask at once', async () => {
  const { folder, reads, listings } = await folderOf('a');
  await writeFile(join(folder, 'b.json'), '{}');

  await Promise.all(Array.from({ length: 100 }, () => listings.read(folder)));

  expect(reads.length).toBeLessThanOrEqual(2);
});

test('createFolderListings sees a change inside of a long name', async () => {
  const { folder, settle, names } = await folderOf('a');
  await mkdir(join(folder, 'long+'));
  await writeFile(join(folder, 'long+', '+1.json'), '{}');
  await settle();
  expect(await names()).toEqual(['a', 'long1']);

  await writeFile(join(folder, 'long+', '+2.json'), '{}');

  expect(await names()).toEqual(['a', 'long1', 'long2']);
});

test('a listing begins after a name, or in the folder that the name leads into', async () => {
  const { folder, settle, listings } = await folderOf('a', 'b', 'd');
  await mkdir(join(folder, 'c'));
  await settle();
  const { entries, after } = await listings.read(folder);

  expect(
    ['', 'a', 'b', 'bb', 'c', 'c/x', 'd', 'z'].map((name) => entries[after(name)]?.name),
  ).toEqual(['a', 'b', 'c/', 'c/', 'c/', 'c/', undefined, undefined]);
});
