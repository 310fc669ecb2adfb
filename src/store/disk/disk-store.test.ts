import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  chunksOf,
  collect,
  collectAll,
  describeBytes,
  noise,
} from '../../../test/support/bytes.ts';
import { storeSuite } from '../../../test/support/suites/store-suite.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { uploadIdOf } from '../store.ts';
import { openDiskStore } from './disk-store.ts';

const ctx = silentContext();

storeSuite('diskStore', async () => {
  const root = await tempDir();
  return { open: () => openDiskStore(root) };
});

test('openDiskStore makes an OCI image layout', async () => {
  const root = join(await tempDir(), 'deep', 'store');

  await openDiskStore(root);

  expect(JSON.parse(await readFile(join(root, 'oci-layout'), 'utf8'))).toEqual({
    imageLayoutVersion: '1.0.0',
  });
  expect(JSON.parse(await readFile(join(root, 'index.json'), 'utf8'))).toEqual({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [],
  });
  expect(await readdir(join(root, 'blobs'))).toEqual(['sha256', 'sha512']);
  expect(await readdir(join(root, 'ingest'))).toEqual([]);
});

test('openDiskStore by many at once gives one store', async () => {
  const root = join(await tempDir(), 'store');

  const stores = await Promise.all([1, 2, 3, 4].map(() => openDiskStore(root)));

  expect(stores.map((store) => store.root)).toEqual(Array(4).fill(root));
  expect(await readdir(join(root, 'ingest'))).toEqual([]);
});

test('openDiskStore without create writes nothing and reads what is there', async () => {
  const root = await tempDir();
  const { digest } = describeBytes('text');
  await mkdir(join(root, 'blobs', 'sha256'), { recursive: true });
  await writeFile(join(root, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(join(root, 'blobs', 'sha256', digest.slice('sha256:'.length)), 'text');
  await chmod(root, 0o555);

  const store = await openDiskStore(root, { create: false });

  expect((await collect(store.blobs.read(ctx, digest))).toString()).toBe('text');
  expect(await collectAll(store.uploads.list(ctx))).toEqual([]);
  expect(await collectAll(store.records.list(ctx, ''))).toEqual([]);
  expect(await readdir(root)).toEqual(['blobs', 'oci-layout']);
  await chmod(root, 0o755);
});

test('openDiskStore names a folder that is no layout, and a version it does not know', async () => {
  const root = await tempDir();

  const absent = openDiskStore(root, { create: false });
  await expect(absent).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  await writeFile(join(root, 'oci-layout'), '{"imageLayoutVersion":"2.0.0"}');
  const newer = openDiskStore(root);
  await expect(newer).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  await expect(newer).rejects.toThrow('found version "2.0.0"');
});

test('openDiskStore refuses a layout that lost its index, which would make garbage of all', async () => {
  const root = await tempDir();
  await openDiskStore(root);
  await rm(join(root, 'index.json'));

  await expect(openDiskStore(root)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    hint: expect.stringContaining('Restore'),
  });

  await rm(join(root, 'oci-layout'));
  await openDiskStore(root);
  expect(await readdir(root)).toContain('index.json');
});

test('openDiskStore names the place where it cannot make a folder', async () => {
  const root = await tempDir();
  await writeFile(join(root, 'ingest'), 'a file');

  await expect(openDiskStore(root)).rejects.toMatchObject({
    code: 'FILE_UNWRITABLE',
    message: expect.stringContaining('ingest'),
  });
});

test('a blob that is a folder or leads nowhere has a named error', async () => {
  const store = await openDiskStore(await tempDir());
  const [folder, loop] = [describeBytes(noise(4096)), describeBytes('loop')];
  await mkdir(store.blobPath(folder.digest));
  await symlink(store.blobPath(loop.digest), store.blobPath(loop.digest));

  for (const { digest } of [folder, loop]) {
    const looking = store.blobs.stat(ctx, digest);
    await expect(looking).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    const reading = collect(store.blobs.read(ctx, digest));
    await expect(reading).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  }
  await expect(store.blobs.write(ctx, folder, chunksOf(noise(4096)))).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: expect.stringContaining(store.blobPath(folder.digest)),
  });
});

test('write heals a small blob in which a byte was changed on the disk', async () => {
  const store = await openDiskStore(await tempDir());
  const blob = describeBytes('text');
  await store.blobs.write(ctx, blob, chunksOf('text'));
  await writeFile(store.blobPath(blob.digest), 'tExt');

  await store.blobs.write(ctx, blob, chunksOf('text'));

  expect((await collect(store.blobs.read(ctx, blob.digest))).toString()).toBe('text');
});

test('write heals a blob that was cut short on the disk', async () => {
  const store = await openDiskStore(await tempDir());
  const blob = describeBytes('text');
  await store.blobs.write(ctx, blob, chunksOf('text'));
  await writeFile(store.blobPath(blob.digest), 'te');

  await store.blobs.write(ctx, blob, chunksOf('text'));

  expect((await collect(store.blobs.read(ctx, blob.digest))).toString()).toBe('text');
});

test('append notices that another upload took the same id', async () => {
  const store = await openDiskStore(await tempDir());
  const other = await openDiskStore(store.root);
  const id = uploadIdOf(describeBytes('abcd').digest);
  await store.uploads.begin(ctx, id);
  await store.uploads.append(ctx, id, chunksOf('xx'));

  await other.uploads.cancel(ctx, id);
  await other.uploads.begin(ctx, id);
  await other.uploads.append(ctx, id, chunksOf('ab'));
  await store.uploads.append(ctx, id, chunksOf('cd'));

  const { digest } = describeBytes('abcd');
  expect(await store.uploads.commit(ctx, id, digest)).toEqual({ digest, size: 4 });
});

test('append gathers many small chunks without mixing them up', async () => {
  const { blobs, uploads } = await openDiskStore(await tempDir());
  const bytes = noise(2_000_000);
  const { digest } = describeBytes(bytes);
  async function* crumbs() {
    for (let at = 0; at < bytes.length; at += 1_777) yield bytes.subarray(at, at + 1_777);
  }
  const id = await uploads.begin(ctx);

  await uploads.append(ctx, id, crumbs());
  await uploads.commit(ctx, id, digest);

  expect((await collect(blobs.read(ctx, digest))).equals(bytes)).toBe(true);
});

test('list leaves out what is not a blob', async () => {
  const store = await openDiskStore(await tempDir());
  await writeFile(join(store.root, 'blobs', 'sha256', 'README'), 'hello');
  await symlink('/nowhere', join(store.root, 'blobs', 'sha256', 'a'.repeat(64)));

  expect(await collectAll(store.blobs.list(ctx))).toEqual([]);
});

test('stamp changes with every write of a record, by anybody', async () => {
  const store = await openDiskStore(await tempDir());
  const other = await openDiskStore(store.root);

  expect(store.records.stamp('a')).toBeUndefined();
  await store.records.put(ctx, 'a', 1);
  const first = store.records.stamp('a');
  expect(store.records.stamp('a')).toBe(first);
  await other.records.put(ctx, 'a', 1);

  expect(store.records.stamp('a')).not.toBe(first);
});

test('get of a record that was damaged says so', async () => {
  const store = await openDiskStore(await tempDir());
  await store.records.put(ctx, 'a/b', 1);
  await writeFile(join(store.root, 'records', 'a', 'b.json'), '{"torn');

  await expect(store.records.get(ctx, 'a/b')).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
});

test('list of records does not show what is being written', async () => {
  const store = await openDiskStore(await tempDir());
  await store.records.put(ctx, 'a/b', 1);
  await writeFile(join(store.root, 'records', 'a', '.c.json.1.tmp'), '{');

  expect(await collectAll(store.records.list(ctx, ''))).toEqual(['a/b']);
});

test('records of a disk believe no file of which one bit was turned over', async () => {
  const root = await tempDir();
  const { records } = await openDiskStore(root);
  const value = { digest: `sha256:${'0'.repeat(64)}`, mediaType: 'a/b', size: 299 };
  await records.put(ctx, 'a/b', value);
  const path = join(root, 'records/a/b.json');
  const written = await readFile(path);

  for (let bit = 0; bit < written.length * 8; bit += 1) {
    const altered = Buffer.from(written);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    await writeFile(path, altered);
    const found = await records.get(ctx, 'a/b').catch((error) => error);
    const isTold = (found as { code?: string }).code === 'CONTENT_MISMATCH';
    expect(isTold || found, altered.toString()).toSatisfy(
      (seen) => seen === true || JSON.stringify(seen).includes(JSON.stringify(value).slice(1, -1)),
    );
  }
});

test('records of a disk are read that have no checksum, as older versions wrote them', async () => {
  const root = await tempDir();
  const { records } = await openDiskStore(root);
  await records.put(ctx, 'a/b', {});
  await writeFile(join(root, 'records/a/b.json'), '{"size":7}\n');

  expect(await records.get(ctx, 'a/b')).toEqual({ size: 7 });
});
