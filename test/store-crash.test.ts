import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { openDiskStore } from '../src/store/disk/disk-store.ts';
import { readReferences } from '../src/store/layout/references.ts';
import { uploadIdOf } from '../src/store/store.ts';
import { checkStore } from '../src/store/upkeep/check.ts';
import { collectGarbage } from '../src/store/upkeep/gc.ts';
import { allRoots, recordRoots } from '../src/store/upkeep/roots.ts';
import { chunksOf, collect, collectAll, describeBytes, noise } from './support/bytes.ts';
import { killChild, messageFrom, startChild } from './support/child.ts';
import { tempDir } from './support/temp.ts';

const ctx = silentContext();
const WRITER = join(import.meta.dirname, 'support', 'children', 'store-writer.ts');
const bytes = noise(400_000, 1);
const blob = describeBytes(bytes);

const start = (root: string, task: string, seed = 1) =>
  startChild(WRITER, [root, task, String(seed)]);

test('a writer killed half-way leaves no blob, and the next one succeeds', async () => {
  const root = await tempDir();
  const child = await start(root, 'write-half');
  expect(await messageFrom(child)).toBe('half');

  await killChild(child);

  const store = await openDiskStore(root);
  expect(await store.blobs.stat(ctx, blob.digest)).toBeUndefined();
  expect(await readdir(join(root, 'ingest'))).toHaveLength(1);
  await store.blobs.write(ctx, blob, chunksOf(bytes));
  expect((await collect(store.blobs.read(ctx, blob.digest))).equals(bytes)).toBe(true);

  const later = silentContext({ now: () => new Date(Date.now() + 86_400_000) });
  await collectGarbage(later, store, { roots: allRoots(), graceMs: 3_600_000 });
  expect(await readdir(join(root, 'ingest'))).toEqual([]);
});

test('an upload whose process was killed is continued by another', async () => {
  const root = await tempDir();
  const child = await start(root, 'upload-half');
  expect(await messageFrom(child)).toBe('half');
  await killChild(child);

  const { blobs, uploads } = await openDiskStore(root);
  const id = await uploads.begin(ctx, uploadIdOf(blob.digest));
  const offset = (await uploads.offset(ctx, id)) ?? -1;
  expect(offset).toBeGreaterThanOrEqual(0);
  await uploads.append(ctx, id, chunksOf(bytes.subarray(offset)));

  expect(await uploads.commit(ctx, id, blob.digest)).toMatchObject({ size: bytes.length });
  expect((await collect(blobs.read(ctx, blob.digest))).equals(bytes)).toBe(true);
});

test('an upload that a living process receives is LOCKED for others', async () => {
  const root = await tempDir();
  const child = await start(root, 'upload-half');
  expect(await messageFrom(child)).toBe('half');

  const { blobs, uploads } = await openDiskStore(root);
  const second = uploads.append(ctx, uploadIdOf(blob.digest), chunksOf('x'));

  await expect(second).rejects.toMatchObject({ code: 'LOCKED' });
  // Its own file is always free.
  await blobs.write(ctx, blob, chunksOf(bytes));
  expect((await blobs.stat(ctx, blob.digest))?.size).toBe(bytes.length);
});

test('several processes write one blob and all succeed', async () => {
  const root = await tempDir();
  const children = await Promise.all([1, 1, 1].map((seed) => start(root, 'write-all', seed)));

  const answers = await Promise.all(children.map(messageFrom));

  expect(answers).toEqual(['done', 'done', 'done']);
  const store = await openDiskStore(root);
  expect((await collect(store.blobs.read(ctx, blob.digest))).equals(bytes)).toBe(true);
  expect(await readdir(join(root, 'ingest'))).toEqual([]);
});

test('names set by several processes at once all stay', async () => {
  const root = await tempDir();
  const children = await Promise.all([1, 2, 3].map((seed) => start(root, 'name-many', seed)));

  await Promise.all(children.map(messageFrom));

  const names = (await readReferences({ root })).map(({ name }) => name);
  expect(names).toHaveLength(24);
  expect(new Set(names).size).toBe(24);
});

test('whenever a writer is killed, all that is in the store is whole', async () => {
  const root = await tempDir();
  for (const seed of [1, 2, 3]) {
    const child = await start(root, 'write-forever', seed);
    for (let messages = 0; messages < seed * 2; messages += 1) await messageFrom(child);
    await killChild(child);
  }

  const store = await openDiskStore(root);
  const roots = recordRoots(ctx, store.records);
  const report = await checkStore(ctx, store, { roots });

  expect(report.problems).toEqual([]);
  expect((await collectAll(store.records.list(ctx, ''))).length).toBeGreaterThanOrEqual(12);
  expect(await readFile(join(root, 'oci-layout'), 'utf8')).toBe('{"imageLayoutVersion":"1.0.0"}');
});
