import { rm, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chunksOf, collect, collectAll, describeBytes } from '../../../test/support/bytes.ts';
import { copyImage, copyRoot } from '../../../test/support/copy-image.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { digestOf } from '../../oci/digest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { openDiskStore } from '../disk/disk-store.ts';
import { uploadIdOf } from '../store.ts';
import { layoutRoot, layoutSource } from './source.ts';
import { layoutTarget } from './target.ts';

const ctx = silentContext();

async function openLayout() {
  const store = await openDiskStore(await tempDir());
  return { store, source: layoutSource(store), target: layoutTarget(store) };
}

async function someImages() {
  const images = new MemoryImages();
  const layer = await images.addLayer([{ name: 'etc/motd', content: 'hello' }]);
  const image = images.addImage([layer]);
  const index = images.addIndex([{ ...image, platform: { os: 'linux', architecture: 'amd64' } }]);
  return { images, layer, image, index };
}

test('layoutSource reads back what layoutTarget stored', async () => {
  const { source, target } = await openLayout();
  const { images, layer, index, image } = await someImages();

  await copyRoot(images, target, index, 'quay.io/org/app:v1');

  expect(await source.resolve(ctx, 'quay.io/org/app:v1')).toEqual(index);
  expect(await source.resolve(ctx, image.digest)).toMatchObject({ digest: image.digest });
  expect(await source.resolve(ctx, layer.digest)).toBeUndefined();
  expect(await source.resolve(ctx, 'other')).toBeUndefined();
  expect(await collectAll(source.can.tags(ctx))).toEqual(['quay.io/org/app:v1']);
  const bytes = await collect(source.blob(ctx, layer, 5));
  expect(bytes.equals(images.blobs.get(layer.digest)?.subarray(5) ?? Buffer.alloc(0))).toBe(true);
  expect((await source.manifest(ctx, index)).bytes).toEqual(images.blobs.get(index.digest));
});

test('layoutTarget keeps the beginning of a blob that was cut', async () => {
  const { store, source, target } = await openLayout();
  const blob = describeBytes('abcdef');

  expect(await target.can.resume.partial(ctx, blob)).toBe(0);
  await expect(
    target.can.resume.putRest(ctx, blob, 0, chunksOf('abc', new Error('cable'))),
  ).rejects.toThrow('cable');
  expect(await target.can.resume.partial(ctx, blob)).toBe(3);
  const short = target.can.resume.putRest(ctx, blob, 3, chunksOf('de'));
  await expect(short).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  expect(await target.can.resume.partial(ctx, blob)).toBe(5);
  await target.can.resume.putRest(ctx, blob, 5, chunksOf('f'));

  expect((await collect(source.blob(ctx, blob))).toString()).toBe('abcdef');
  expect(await store.uploads.offset(ctx, uploadIdOf(blob.digest))).toBeUndefined();
});

test('layoutTarget tells whoever comes second that somebody receives the same blob', async () => {
  const { store, target } = await openLayout();
  const other = layoutTarget(await openDiskStore(store.root));
  const blob = describeBytes('abcdef');
  const seen = await other.can.resume.partial(ctx, blob);
  const second = async () => await other.can.resume.putRest(ctx, blob, seen, chunksOf('abcdef'));

  const first = target.can.resume.putRest(
    ctx,
    blob,
    0,
    (async function* () {
      yield* chunksOf('abc');
      await expect(second()).rejects.toMatchObject({ code: 'LOCKED' });
      yield* chunksOf('def');
    })(),
  );

  await first;
  expect(await target.has(ctx, blob)).toBe(true);
});

test('layoutTarget does not put a rest behind what another one has finished', async () => {
  const { store, target } = await openLayout();
  const other = layoutTarget(await openDiskStore(store.root));
  const blob = describeBytes('abcdef');
  await target.can.resume
    .putRest(ctx, blob, 0, chunksOf('abc', new Error('cable')))
    .catch(() => undefined);
  const seen = await other.can.resume.partial(ctx, blob);
  await target.can.resume.putRest(ctx, blob, 3, chunksOf('def'));

  const late = other.can.resume.putRest(ctx, blob, seen, chunksOf('def'));

  await expect(late).rejects.toMatchObject({ code: 'LOCKED' });
  expect(await target.has(ctx, blob)).toBe(true);
});

test('layoutTarget refuses more bytes than described, and starts again after wrong ones', async () => {
  const { store, target } = await openLayout();
  const blob = describeBytes('abcdef');

  const long = target.can.resume.putRest(ctx, blob, 0, chunksOf('abcxyz', 'more'));
  await expect(long).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  const wrong = target.can.resume.putRest(ctx, blob, 6, chunksOf());
  await expect(wrong).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });

  expect(await target.can.resume.partial(ctx, blob)).toBe(0);
  expect(await store.blobs.stat(ctx, blob.digest)).toBeUndefined();
});

test('layoutSource finds the artifacts that refer to an image', async () => {
  const { source, target } = await openLayout();
  const { images, image } = await someImages();
  const artifact = images.addManifest(
    {
      artifactType: 'application/vnd.example.sbom',
      config: images.addBlob(Buffer.from('{}'), MEDIA_TYPES.ociEmpty),
      layers: [],
      subject: image,
      annotations: { made: 'today' },
    },
    MEDIA_TYPES.ociManifest,
  );
  await copyRoot(images, target, image, 'app');
  expect(await source.can.referrers(ctx, image.digest)).toEqual([]);

  await copyImage(images, target, artifact);

  expect(await source.can.referrers(ctx, image.digest)).toEqual([
    {
      ...artifact,
      artifactType: 'application/vnd.example.sbom',
      annotations: { made: 'today' },
    },
  ]);
  expect(await source.can.referrers(ctx, artifact.digest)).toEqual([]);
});

test('layoutSource finds artifacts though another image of the layout is damaged', async () => {
  const { store, source, target } = await openLayout();
  const { images, image } = await someImages();
  const other = images.addImage([], undefined, { author: 'other' });
  await copyRoot(images, target, image, 'app');
  await copyRoot(images, target, other, 'other');
  await writeFile(store.blobPath(other.digest), Buffer.alloc(other.size, 'x'));

  expect(await source.can.referrers(ctx, image.digest)).toEqual([]);
});

test('layoutSource looks for artifacts again after a run was stopped at it', async () => {
  const { source, target } = await openLayout();
  const { images, image } = await someImages();
  await copyRoot(images, target, image, 'app');
  const stopped = silentContext({ signal: AbortSignal.abort(new Error('stopped')) });

  await expect(source.can.referrers(stopped, image.digest)).rejects.toThrow('stopped');

  expect(await source.can.referrers(ctx, image.digest)).toEqual([]);
});

test.each([
  ['lost a layer', async (path: string) => await rm(path), 'layer'],
  ['has a layer cut short', async (path: string) => await truncate(path, 1), 'layer'],
  [
    'is damaged',
    async (path: string, size: number) => await writeFile(path, ' '.repeat(size)),
    'image',
  ],
] as const)(
  'layoutTarget does not have an image that %s, and copying mends it',
  async (_name, spoil, which) => {
    const { store, source, target } = await openLayout();
    const { images, image, layer } = await someImages();
    await copyRoot(images, target, image, 'app');
    expect(await target.has(ctx, image)).toBe(true);
    const spoilt = which === 'layer' ? layer : image;
    await spoil(store.blobPath(spoilt.digest), spoilt.size);

    expect(await target.has(ctx, image)).toBe(false);

    await copyRoot(images, target, image, 'app');
    expect(await target.has(ctx, image)).toBe(true);
    expect((await source.manifest(ctx, image)).children).toContainEqual(layer);
    expect(await collect(source.blob(ctx, layer))).toHaveLength(layer.size);
  },
);

test('layoutTarget refuses an image of which a layer is gone again', async () => {
  const { store, target } = await openLayout();
  const { images, image, layer } = await someImages();
  await copyRoot(images, target, image);
  await rm(store.blobPath(layer.digest));
  const manifest = await images.manifest(ctx, image);

  const late = target.putManifest(ctx, manifest, 'app');

  await expect(late).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
});

test('layoutRoot takes the only image, and asks for a name among several', async () => {
  const { store, target } = await openLayout();
  const { images, image, index } = await someImages();
  await copyRoot(images, target, index);

  expect(await layoutRoot(ctx, store)).toEqual(index);

  await copyRoot(images, target, image, 'app:v1');
  await expect(layoutRoot(ctx, store)).rejects.toMatchObject({ code: 'IMAGE_UNKNOWN' });
  await expect(layoutRoot(ctx, store, 'app:v2')).rejects.toMatchObject({
    hint: expect.stringContaining('app:v1'),
  });
  expect(await layoutRoot(ctx, store, 'app:v1')).toEqual(image);
});

test('layoutSource refuses a manifest that was changed on the disk', async () => {
  const { store, source, target } = await openLayout();
  const { images, image } = await someImages();
  await copyRoot(images, target, image, 'app');
  await writeFile(store.blobPath(image.digest), Buffer.alloc(image.size, 'x'));

  await expect(source.manifest(ctx, image)).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  const absent = { ...image, digest: digestOf('nothing') };
  await expect(source.manifest(ctx, absent)).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
});

test('layoutSource refuses a manifest of many megabytes without holding it', async () => {
  const { store, source } = await openLayout();
  const bytes = Buffer.alloc(9_000_000, ' ');
  const huge = describeBytes(bytes, MEDIA_TYPES.ociManifest);
  await store.blobs.write(ctx, huge, chunksOf(bytes));

  await expect(source.manifest(ctx, huge)).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
  expect(await source.resolve(ctx, huge.digest)).toBeUndefined();
});
