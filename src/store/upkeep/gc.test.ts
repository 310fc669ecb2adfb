import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chunksOf, collectAll, describeBytes } from '../../../test/support/bytes.ts';
import { copyImage, copyRoot } from '../../../test/support/copy-image.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { withLock } from '../../core/lock.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { type DiskStore, openDiskStore } from '../disk/disk-store.ts';
import { removeReference, setReferences } from '../layout/references.ts';
import { layoutTarget } from '../layout/target.ts';
import { SHORTEST_GRACE_MS } from '../store.ts';
import { collectGarbage, type GcOptions } from './gc.ts';
import { layoutRoots, recordRoots } from './roots.ts';

const ctx = silentContext();
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

async function ageAll(store: DiskStore): Promise<void> {
  for await (const { digest } of store.blobs.list(ctx)) {
    await utimes(store.blobPath(digest), LONG_AGO, LONG_AGO);
  }
}

const collect = (store: DiskStore, options: Partial<GcOptions> = {}) =>
  collectGarbage(ctx, store, { roots: layoutRoots(ctx, store), ...options });

async function digestsIn(store: DiskStore): Promise<string[]> {
  return (await collectAll(store.blobs.list(ctx))).map(({ digest }) => digest);
}

/** Two images that share a layer, both named, and a signature of the second. */
async function filledStore() {
  const images = new MemoryImages();
  const layer = await images.addLayer([{ name: 'shared', content: 'hello' }]);
  const own = await images.addLayer([{ name: 'own', content: 'world' }]);
  const first = images.addImage([layer], undefined, { author: 'first' });
  const second = images.addImage([layer, own]);
  const config = images.addBlob(Buffer.from('{}'), MEDIA_TYPES.ociEmpty);
  const signature = images.addManifest(
    { config, layers: [], subject: second },
    MEDIA_TYPES.ociManifest,
  );
  const store = await openDiskStore(await tempDir());
  const target = layoutTarget(store);
  await copyRoot(images, target, first, 'first');
  await copyRoot(images, target, second, 'second');
  await copyImage(images, target, signature);
  await ageAll(store);
  return { store, images, target, layer, own, first, second, signature };
}

test('collectGarbage keeps all that a name reaches', async () => {
  const { store } = await filledStore();

  expect(await collect(store)).toMatchObject({ removedBlobs: 0, freedBytes: 0, keptBlobs: 8 });
});

test('collectGarbage removes what lost its name, with its artifacts, and says how much', async () => {
  const { store, first, layer, own, second, signature } = await filledStore();
  await removeReference(ctx, store, 'second');

  const dry = await collect(store, { dryRun: true });
  expect(await digestsIn(store)).toHaveLength(8);
  const report = await collect(store);

  expect(report).toMatchObject({ removedBlobs: 5, keptBlobs: 3, dryRun: false });
  expect(report.freedBytes).toBe(dry.freedBytes);
  expect(report.freedBytes).toBeGreaterThan(own.size + second.size + signature.size);
  const left = await digestsIn(store);
  expect(left).toEqual(expect.arrayContaining([first.digest, layer.digest]));
  expect(left).not.toContain(signature.digest);
});

test('collectGarbage leaves what is young, or was found by somebody just now', async () => {
  const { store, target, second, own } = await filledStore();
  await removeReference(ctx, store, 'second');
  const fresh = describeBytes('fresh');
  await store.blobs.write(ctx, fresh, chunksOf('fresh'));
  expect(await target.has(ctx, second)).toBe(true);

  const report = await collect(store);

  // The one that was written, and the image with its own layer and config.
  expect(report.youngBlobs).toBe(4);
  expect(await digestsIn(store)).toEqual(
    expect.arrayContaining([fresh.digest, second.digest, own.digest]),
  );
});

test('collectGarbage leaves what was found just now, also with the shortest grace', async () => {
  const store = await openDiskStore(await tempDir());
  const blob = describeBytes('two minutes old');
  await store.blobs.write(ctx, blob, chunksOf('two minutes old'));
  const before = new Date(Date.now() - 2 * SHORTEST_GRACE_MS);
  await utimes(store.blobPath(blob.digest), before, before);
  expect(await layoutTarget(store).has(ctx, blob)).toBe(true);

  expect(await collect(store, { graceMs: SHORTEST_GRACE_MS })).toMatchObject({ removedBlobs: 0 });
});

test('collectGarbage keeps what a manifest of an unknown kind mentions', async () => {
  const { store, first, layer } = await filledStore();
  const unknown = JSON.stringify({
    mediaType: 'application/vnd.oci.artifact.manifest.v1+json',
    blobs: [layer],
    subject: first,
  });
  const named = describeBytes(unknown);
  await store.blobs.write(ctx, named, chunksOf(unknown));
  await setReferences(ctx, store, [{ name: 'unknown', descriptor: named }]);
  for (const name of ['first', 'second']) await removeReference(ctx, store, name);
  await ageAll(store);

  await collect(store);

  expect(await digestsIn(store)).toEqual(
    expect.arrayContaining([named.digest, layer.digest, first.digest]),
  );
});

test('collectGarbage passes over an upload that somebody is continuing', async () => {
  const { store } = await filledStore();
  const id = await store.uploads.begin(ctx);
  const path = join(store.root, 'ingest', id);
  await utimes(path, LONG_AGO, LONG_AGO);

  const report = await withLock(ctx, `${path}.lock`, {}, () => collect(store));

  expect(report.removedUploads).toBe(0);
  expect(await store.uploads.offset(ctx, id)).toBe(0);
});

test('collectGarbage passes over folders where blobs and uploads should be', async () => {
  const { store } = await filledStore();
  await mkdir(join(store.root, 'blobs', 'sha256', '0'.repeat(64)));
  await mkdir(join(store.root, 'ingest', 'folder', 'below'), { recursive: true });
  await utimes(join(store.root, 'ingest', 'folder'), LONG_AGO, LONG_AGO);

  expect(await collect(store)).toMatchObject({ removedBlobs: 0, keptBlobs: 8, removedUploads: 0 });
});

test('collectGarbage does nothing when a manifest cannot be read', async () => {
  const { store, second } = await filledStore();
  await removeReference(ctx, store, 'first');
  await rm(store.blobPath(second.digest));
  await mkdir(store.blobPath(second.digest));

  await expect(collect(store)).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });

  expect(await digestsIn(store)).toHaveLength(7);
});

test('collectGarbage keeps what records name', async () => {
  const { store, own, first } = await filledStore();
  await store.records.put(ctx, 'repos/a/_tags/v1', { digest: first.digest });
  await store.records.put(ctx, `repos/a/_blobs/${own.digest}`, { size: own.size });

  await collect(store, { roots: recordRoots(ctx, store.records) });

  expect((await digestsIn(store)).toSorted()).toEqual(
    expect.arrayContaining([first.digest, own.digest].toSorted()),
  );
  expect(await digestsIn(store)).toHaveLength(4);
});

test('collectGarbage does nothing when a manifest is damaged', async () => {
  const { store, first, second } = await filledStore();
  await removeReference(ctx, store, 'first');
  await writeFile(store.blobPath(second.digest), Buffer.alloc(second.size, ' '));

  await expect(collect(store)).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });

  expect(await digestsIn(store)).toContain(first.digest);
});

test('collectGarbage removes old uploads and the rubbish of interrupted writes', async () => {
  const { store } = await filledStore();
  const [old, young] = [await store.uploads.begin(ctx), await store.uploads.begin(ctx)];
  await store.records.put(ctx, 'a/b', 1);
  const rubbish = [
    join(store.root, 'ingest', 'torn.tmp'),
    join(store.root, 'ingest', 'gone.lock'),
    join(store.root, 'records', 'a', '.b.json.1.tmp'),
    join(store.root, '.index.json.1.tmp'),
  ];
  for (const path of rubbish) await writeFile(path, 'torn');
  for (const path of [...rubbish, join(store.root, 'ingest', old)]) {
    await utimes(path, LONG_AGO, LONG_AGO);
  }
  await writeFile(join(store.root, 'ingest', 'busy.tmp'), 'busy');

  const report = await collect(store);

  expect(report).toMatchObject({ removedUploads: 1, removedTemporary: 4, freedBytes: 16 });
  expect((await readdir(join(store.root, 'ingest'))).toSorted()).toEqual(
    [young, 'busy.tmp'].toSorted(),
  );
  expect(await store.records.get(ctx, 'a/b')).toBe(1);
});
