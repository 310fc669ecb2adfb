import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MemoryImages, type TarFile, tarOf } from '../../../test/support/images.ts';
import { silentContext } from '../../core/context.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { openLayerFile, readLayerFiles } from './layer-files.ts';

const ctx = silentContext();
const all = () => true;
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('utf8');

async function imageOf(...layers: (readonly TarFile[])[]) {
  const images = new MemoryImages();
  const descriptors: Descriptor[] = [];
  for (const files of layers) descriptors.push(await images.addLayer(files));
  const manifest = await images.manifest(ctx, images.addImage(descriptors));
  return { images, manifest };
}

async function shown(...layers: (readonly TarFile[])[]): Promise<Record<string, string>> {
  const { images, manifest } = await imageOf(...layers);
  const files = await readLayerFiles(ctx, images, manifest, all);
  return Object.fromEntries([...files].map(([path, file]) => [path, text(file.bytes)]));
}

describe('readLayerFiles', () => {
  test('takes each path from the topmost layer that has it', async () => {
    const found = await shown(
      [
        { name: './a', content: 'old' },
        { name: 'b', content: 'b' },
      ],
      [{ name: '/a', content: 'new' }],
    );

    expect(found).toEqual({ a: 'new', b: 'b' });
  });

  test('honours whiteouts of files, of directories and opaque directories', async () => {
    const found = await shown(
      [
        { name: 'gone', content: '1' },
        { name: 'dir/x', content: '2' },
        { name: 'opaque/old', content: '3' },
        { name: 'stays', content: '4' },
      ],
      [
        { name: 'opaque/new', content: '5' },
        { name: 'opaque/.wh..wh..opq' },
        { name: '.wh.gone' },
        { name: '.wh.dir' },
      ],
      [{ name: 'dir/y', content: '6' }],
    );

    expect(found).toEqual({ 'dir/y': '6', 'opaque/new': '5', stays: '4' });
  });

  test('lets a file replace a directory and everything in it', async () => {
    const found = await shown(
      [{ name: 'configs/a.json', content: 'a' }],
      [{ name: 'configs', content: 'file' }],
    );

    expect(found).toEqual({ configs: 'file' });
  });

  test('never shows a path that leaves the image', async () => {
    const found = await shown([
      { name: '../evil', content: 'x' },
      { name: 'a/../../evil', content: 'x' },
      { name: 'link', type: 'symlink', linkname: '../../etc/passwd' },
      { name: 'good', content: 'g' },
    ]);

    expect(found).toEqual({ good: 'g' });
  });

  test('follows hard links and symlinks, also across layers and outside the filter', async () => {
    const { images, manifest } = await imageOf(
      [{ name: 'usr/lib/real', content: 'real' }],
      [
        { name: 'bin/hard', type: 'link', linkname: 'usr/lib/real' },
        { name: 'bin/soft', type: 'symlink', linkname: '../bin/hard' },
        { name: 'bin/absolute', type: 'symlink', linkname: '/usr/lib/real' },
        { name: 'bin/loop', type: 'symlink', linkname: 'loop' },
      ],
    );

    const files = await readLayerFiles(ctx, images, manifest, (path) => path.startsWith('bin/'));

    expect([...files.keys()]).toEqual(['bin/absolute', 'bin/hard', 'bin/soft']);
    for (const file of files.values()) expect(text(file.bytes)).toBe('real');
  });

  test('counts what it keeps and refuses to fill the memory', async () => {
    const { images, manifest } = await imageOf([{ name: 'big', content: 'x'.repeat(5000) }]);

    await expect(
      readLayerFiles(ctx, images, manifest, all, { maxBytes: 4999 }),
    ).rejects.toMatchObject({
      code: 'LAYER_INVALID',
      message: expect.stringContaining('4.88 KiB'),
    });
    await expect(
      readLayerFiles(ctx, images, manifest, () => false, { maxBytes: 1 }),
    ).resolves.toEqual(new Map());
  });

  test('refuses a layer whose bytes are not those of its digest', async () => {
    const { images, manifest } = await imageOf([{ name: 'a', content: 'a' }]);
    const layer = manifest.children[1] as Descriptor;
    const other = gzipSync(await tarOf([{ name: 'a', content: 'b' }]));
    images.blobs.set(layer.digest, other.subarray(0, layer.size));

    await expect(readLayerFiles(ctx, images, manifest, all)).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
  });

  test('says which layer cannot be unpacked', async () => {
    const images = new MemoryImages();
    const tar = await tarOf([{ name: 'a', content: 'x'.repeat(3000) }]);
    const cut = images.addBlob(gzipSync(tar.subarray(0, 1000)), MEDIA_TYPES.ociLayerGzip);
    const garbled = images.addBlob(
      Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(600, 7)]),
      MEDIA_TYPES.ociLayerGzip,
    );

    for (const layer of [cut, garbled]) {
      const manifest = await images.manifest(ctx, images.addImage([layer]));
      await expect(readLayerFiles(ctx, images, manifest, all)).rejects.toMatchObject({
        code: 'LAYER_INVALID',
      });
    }
  });

  test('reads a layer that is not compressed', async () => {
    const images = new MemoryImages();
    const layer = images.addBlob(await tarOf([{ name: 'a', content: 'plain' }]), 'x/tar');
    const manifest = await images.manifest(ctx, images.addImage([layer]));

    expect(text((await readLayerFiles(ctx, images, manifest, all)).get('a')?.bytes)).toBe('plain');
  });
});

describe('openLayerFile', () => {
  test('streams one file and reads no layer below it', async () => {
    const { images, manifest } = await imageOf(
      [{ name: 'usr/bin/oc', content: 'below' }],
      [
        { name: 'usr/bin/oc', content: 'x'.repeat(100_000), mode: 0o755 },
        { name: 'usr/bin/kubectl', type: 'symlink', linkname: 'oc' },
        { name: 'zzz', content: 'after' },
      ],
    );

    const file = await openLayerFile(ctx, images, manifest, 'usr/bin/kubectl');
    let size = 0;
    for await (const chunk of file?.body ?? []) size += chunk.length;

    expect(file).toMatchObject({ path: 'usr/bin/oc', size: 100_000, mode: 0o755 });
    expect(size).toBe(100_000);
    expect(images.reads.get((manifest.children[1] as Descriptor).digest)).toBeUndefined();
  });

  test('fails at the end of the stream when the layer does not verify', async () => {
    const { images, manifest } = await imageOf([{ name: 'oc', content: randomBytes(400_000) }]);
    const layer = manifest.children[1] as Descriptor;
    const bytes = Buffer.from(images.blobs.get(layer.digest) ?? []);
    // The time stamp in the gzip header: unpacks as before, but is not what was signed.
    bytes[5] = 0x55;
    images.blobs.set(layer.digest, bytes);

    const file = await openLayerFile(ctx, images, manifest, 'oc');

    await expect(
      (async () => {
        for await (const _ of file?.body ?? []);
      })(),
    ).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  });

  test('answers undefined for a file the image does not have, or has hidden', async () => {
    const { images, manifest } = await imageOf([{ name: 'a', content: 'a' }], [{ name: '.wh.a' }]);

    expect(await openLayerFile(ctx, images, manifest, 'a')).toBeUndefined();
    expect(await openLayerFile(ctx, images, manifest, 'b')).toBeUndefined();
  });
});
