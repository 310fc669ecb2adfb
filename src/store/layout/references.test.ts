import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeBytes } from '../../../test/support/bytes.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { openDiskStore } from '../disk/disk-store.ts';
import {
  REF_NAME,
  readReferences,
  removeReference,
  setReference,
  setReferences,
} from './references.ts';

const ctx = silentContext();
const one = describeBytes('one', MEDIA_TYPES.ociManifest);
const two = describeBytes('two', MEDIA_TYPES.ociIndex);

async function openLayout() {
  return await openDiskStore(await tempDir());
}

async function namesIn(layout: { readonly root: string }) {
  const references = await readReferences(layout);
  return references.map(({ name, descriptor }) => [name, descriptor.digest]);
}

test('setReference names a manifest, and moves a name', async () => {
  const layout = await openLayout();

  await setReference(ctx, layout, 'b', one);
  await setReference(ctx, layout, 'a', one);
  await setReference(ctx, layout, 'b', two);

  expect(await namesIn(layout)).toEqual([
    ['a', one.digest],
    ['b', two.digest],
  ]);
});

test('setReference without a name lists a manifest once', async () => {
  const layout = await openLayout();

  await setReference(ctx, layout, undefined, one);
  await setReference(ctx, layout, undefined, one);
  await setReference(ctx, layout, 'a', one);

  expect(await namesIn(layout)).toEqual([
    [undefined, one.digest],
    ['a', one.digest],
  ]);
});

test('setReference keeps what other tools wrote', async () => {
  const layout = await openLayout();
  const foreign = {
    ...two,
    annotations: { 'com.example': 'x', [REF_NAME]: 'theirs' },
    data: 'e30=',
  };
  const index = { schemaVersion: 2, annotations: { made: 'elsewhere' }, manifests: [foreign] };
  await writeFile(join(layout.root, 'index.json'), JSON.stringify(index));

  await setReference(ctx, layout, 'ours', one);

  const written = JSON.parse(await readFile(join(layout.root, 'index.json'), 'utf8'));
  expect(written.annotations).toEqual({ made: 'elsewhere' });
  expect(written.manifests).toContainEqual(foreign);
  expect(written.manifests).toHaveLength(2);
});

test('setReferences writes the same bytes in whatever order they come', async () => {
  const [first, second] = [await openLayout(), await openLayout()];
  const [a, b] = [
    { name: 'a', descriptor: one },
    { name: 'b', descriptor: two },
  ];

  await setReferences(ctx, first, [a, b]);
  await setReferences(ctx, second, [b]);
  await setReferences(ctx, second, [a]);

  const indexes = await Promise.all(
    [first, second].map(({ root }) => readFile(join(root, 'index.json'), 'utf8')),
  );
  expect(indexes[0]).toBe(indexes[1]);
});

test('setReference loses nothing when many write at once', async () => {
  const layout = await openLayout();
  const names = Array.from({ length: 12 }, (_, index) => `n${String(index).padStart(2, '0')}`);

  await Promise.all(names.map((name) => setReference(ctx, layout, name, one)));

  expect((await namesIn(layout)).map(([name]) => name)).toEqual(names);
});

test('removeReference removes a name, or all entries of a digest', async () => {
  const layout = await openLayout();
  await setReferences(ctx, layout, [
    { name: 'a', descriptor: one },
    { name: 'b', descriptor: one },
    { name: 'c', descriptor: two },
  ]);

  expect(await removeReference(ctx, layout, 'a')).toBe(true);
  expect(await removeReference(ctx, layout, 'a')).toBe(false);
  expect(await namesIn(layout)).toHaveLength(2);
  expect(await removeReference(ctx, layout, one.digest)).toBe(true);

  expect(await namesIn(layout)).toEqual([['c', two.digest]]);
});

test('readReferences takes null for an empty list, as Go writes it', async () => {
  const layout = await openLayout();
  await writeFile(join(layout.root, 'index.json'), '{"schemaVersion":2,"manifests":null}');

  expect(await readReferences(layout)).toEqual([]);
  await setReference(ctx, layout, 'a', one);
  expect(await namesIn(layout)).toEqual([['a', one.digest]]);
});

test.each([
  ['no JSON', '{', 'it is not JSON'],
  [
    'a bad digest',
    '{"schemaVersion":2,"manifests":[{"mediaType":"x","digest":"sha256:1","size":1}]}',
    'manifests.0.digest',
  ],
])('readReferences names the field for %s', async (_name, text, found) => {
  const layout = await openLayout();
  await writeFile(join(layout.root, 'index.json'), text);

  const reading = readReferences(layout);

  await expect(reading).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  await expect(reading).rejects.toThrow(found);
});
