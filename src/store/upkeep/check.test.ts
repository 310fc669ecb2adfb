import { mkdir, open, rm, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chunksOf, describeBytes } from '../../../test/support/bytes.ts';
import { copyRoot } from '../../../test/support/copy-image.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { recordingContext, silentContext } from '../../core/context.ts';
import { type DiskStore, openDiskStore } from '../disk/disk-store.ts';
import { layoutTarget } from '../layout/target.ts';
import { checkStore } from './check.ts';
import { allRoots, layoutRoots, recordRoots } from './roots.ts';

const ctx = silentContext();

/** Two images that share a layer, one of them in an index. */
async function filledStore() {
  const images = new MemoryImages();
  const layer = await images.addLayer([{ name: 'shared', content: 'hello' }]);
  const own = await images.addLayer([{ name: 'own', content: 'world' }]);
  const first = images.addImage([layer]);
  const second = images.addImage([layer, own]);
  const index = images.addIndex([
    { ...first, platform: { os: 'linux', architecture: 'amd64' } },
    { ...second, platform: { os: 'linux', architecture: 'arm64' } },
  ]);
  const store = await openDiskStore(await tempDir());
  await copyRoot(images, layoutTarget(store), index, 'index');
  await copyRoot(images, layoutTarget(store), second, 'second');
  return { store, layer, own, first, second, index };
}

async function flipByte(store: DiskStore, digest: Parameters<DiskStore['blobPath']>[0]) {
  const file = await open(store.blobPath(digest), 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, 10);
  byte[0] = (byte[0] ?? 0) ^ 1;
  await file.write(byte, 0, 1, 10);
  await file.close();
}

const check = (store: DiskStore, allowSparse = false) =>
  checkStore(ctx, store, { roots: layoutRoots(ctx, store), allowSparse });

test('checkStore finds nothing in a sound store and tells how it goes', async () => {
  const { store } = await filledStore();
  let time = 0;
  const now = () => {
    time += 1000;
    return new Date(time);
  };
  const recording = recordingContext({ now });

  const report = await checkStore(recording, store, { roots: layoutRoots(ctx, store) });

  expect(report).toMatchObject({ blobs: 6, problems: [] });
  expect(report.bytes).toBeGreaterThan(100);
  const types = new Set(recording.events.map(({ type }) => type));
  expect([...types]).toEqual(['task.started', 'task.progressed', 'task.finished']);
});

test('checkStore names a flipped byte, the manifests around it and the images it breaks', async () => {
  const { store, layer, first, second } = await filledStore();
  await flipByte(store, layer.digest);

  const { problems } = await check(store);

  expect(problems).toEqual([
    {
      digest: layer.digest,
      found: 'damaged',
      detail: expect.stringContaining('its bytes have the digest sha256:'),
      manifests: [first.digest, second.digest].toSorted(),
      references: ['index', 'second'],
    },
  ]);
});

test('checkStore names what is missing', async () => {
  const { store, own, second } = await filledStore();
  await rm(store.blobPath(own.digest));

  const { problems } = await check(store);

  expect(problems).toMatchObject([
    {
      digest: own.digest,
      found: 'missing',
      manifests: [second.digest],
      references: ['index', 'second'],
    },
  ]);
});

test('checkStore names a damaged manifest and a missing root', async () => {
  const { store, first, second } = await filledStore();
  await flipByte(store, first.digest);
  await rm(store.blobPath(second.digest));

  const { problems } = await check(store);

  expect(problems.map(({ digest, found, references }) => [digest, found, references])).toEqual([
    [second.digest, 'missing', ['index', 'second']],
    [first.digest, 'damaged', ['index']],
  ]);
});

test('checkStore takes nothing for missing that came while it was reading', async () => {
  const { store } = await filledStore();
  const images = new MemoryImages();
  const late = images.addImage([await images.addLayer([{ name: 'late', content: 'late' }])]);
  async function* roots() {
    await copyRoot(images, layoutTarget(store), late, 'late');
    yield* layoutRoots(ctx, store);
  }

  const { problems } = await checkStore(ctx, store, { roots: roots() });

  expect(problems).toEqual([]);
});

test('checkStore names a manifest that cannot be read, and goes on', async () => {
  const { store, first, own, layer } = await filledStore();
  const [folder, loop] = [store.blobPath(first.digest), store.blobPath(layer.digest)];
  await rm(folder);
  await mkdir(folder);
  await rm(loop);
  await symlink(loop, loop);
  await flipByte(store, own.digest);

  const { problems } = await check(store);

  expect(problems.map(({ digest, found, references }) => [digest, found, references])).toEqual([
    ...[
      [layer.digest, 'missing', ['index', 'second']],
      [own.digest, 'damaged', ['index', 'second']],
    ].toSorted(),
    [first.digest, 'missing', ['index']],
  ]);
  expect(problems.at(-1)?.detail).toContain(`Cannot read "${folder}": it is no file`);
});

test('checkStore lets images of an index be absent where that is wanted', async () => {
  const { store, first, second } = await filledStore();
  await rm(store.blobPath(first.digest));

  expect((await check(store, true)).problems).toEqual([]);
  expect((await check(store)).problems).toHaveLength(1);

  await rm(store.blobPath(second.digest));
  expect((await check(store, true)).problems).toHaveLength(2);
});

test('checkStore follows the digests in records', async () => {
  const { store, second } = await filledStore();
  const absent = describeBytes('absent');
  await store.records.put(ctx, 'repos/app/_tags/v1', { digest: second.digest });
  await store.records.put(ctx, `repos/app/_manifests/${absent.digest}`, { size: 6 });

  const roots = allRoots(layoutRoots(ctx, store), recordRoots(ctx, store.records));
  const { problems } = await checkStore(ctx, store, { roots });

  expect(problems).toMatchObject([
    { digest: absent.digest, references: [`repos/app/_manifests/${absent.digest}`] },
  ]);
});

test('checkStore names damage that no image needs', async () => {
  const { store } = await filledStore();
  const alone = describeBytes('nobody needs me');
  await store.blobs.write(ctx, alone, chunksOf('nobody needs me'));
  await flipByte(store, alone.digest);

  const { problems } = await check(store);

  expect(problems).toMatchObject([{ digest: alone.digest, manifests: [], references: [] }]);
});
