import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { streamSource } from '../core/archive/byte-source.ts';
import { readTar } from '../core/archive/read-tar.ts';
import { collect, once } from '../core/bytes.ts';
import { silentContext } from '../core/context.ts';
import {
  blobOf,
  buildArtifact,
  buildImage,
  buildIndex,
  buildLayer,
  putBuilt,
} from './build-image.ts';
import type { Target } from './content.ts';
import { digestOf } from './digest.ts';
import { isImage, isIndex } from './manifest.ts';

const AMD64 = { os: 'linux', architecture: 'amd64' };

test('buildLayer gives the same bytes for the same files, and a true diff id', async () => {
  const files = [{ path: 'etc/motd', content: 'hello', mode: 0o600 }];

  const [first, second] = [await buildLayer(files), await buildLayer(files)];

  expect(first.descriptor).toEqual(second.descriptor);
  expect(digestOf(gunzipSync(first.bytes))).toBe(first.diffId);
});

test('buildImage names its config and layers, in either family', async () => {
  const layers = [await buildLayer([{ path: 'a', content: '1' }], 'docker')];

  const image = buildImage({ layers, platform: AMD64, family: 'docker', labels: { x: 'y' } });

  expect(isImage(image.manifest)).toBe(true);
  expect(image.manifest.descriptor.mediaType).toContain('vnd.docker');
  expect(image.manifest.children.map((child) => child.digest)).toEqual(
    image.blobs.map((blob) => blob.descriptor.digest),
  );
});

test('putBuilt puts children before what names them, and what is there only once', async () => {
  const layers = [await buildLayer([{ path: 'a', content: '1' }])];
  const images = ['amd64', 'arm64'].map((architecture) => {
    const platform = { os: 'linux', architecture };
    return { platform, image: buildImage({ layers, platform }) };
  });
  const index = buildIndex(images);
  const order: string[] = [];
  const there = new Set<string>();
  const target: Target = {
    can: {},
    has: async (_ctx, { digest }) => there.has(digest),
    putBlob: async (_ctx, { digest }) => {
      order.push('blob');
      there.add(digest);
    },
    putManifest: async (_ctx, manifest, tag) => {
      order.push(isIndex(manifest) ? `index ${tag}` : 'image');
    },
  };

  await putBuilt(silentContext(), target, index, 'v1');

  expect(order).toEqual(['blob', 'blob', 'image', 'blob', 'image', 'index v1']);
});

test('buildArtifact carries layers of any type', () => {
  const artifact = buildArtifact([
    blobOf('application/vnd.dev.cosign.simplesigning.v1+json', Buffer.from('{"critical":1}')),
  ]);

  expect(artifact.manifest.children).toHaveLength(2);
});

test('buildLayer adds each folder once, before what is in it, and keeps modes', async () => {
  const { bytes } = await buildLayer([
    { path: 'etc/ssl/ca', content: 'one', mode: 0o600 },
    { path: 'etc/motd', content: new Uint8Array([50]) },
    { path: 'top', content: '' },
  ]);
  const found: unknown[] = [];
  for await (const { path, type, mode, modified, content } of readTar(
    streamSource(once(gunzipSync(bytes))),
  )) {
    const text = (await collect(content)).toString();
    found.push([path, type, mode.toString(8), modified.getTime(), text]);
  }

  expect(bytes[9]).toBe(255);
  expect(found).toEqual([
    ['etc/', 'directory', '755', 0, ''],
    ['etc/ssl/', 'directory', '755', 0, ''],
    ['etc/ssl/ca', 'file', '600', 0, 'one'],
    ['etc/motd', 'file', '644', 0, '2'],
    ['top', 'file', '644', 0, ''],
  ]);
});

const parsed = (bytes: Uint8Array | undefined) => JSON.parse(Buffer.from(bytes ?? []).toString());

test.each([
  [undefined, 'application/vnd.oci.image', 'config.v1+json', 'layer.v1.tar+gzip'],
  ['docker', 'application/vnd.docker', 'container.image.v1+json', 'image.rootfs.diff.tar.gzip'],
] as const)(
  'buildImage writes config and manifest of family %s',
  async (family, start, config, layer) => {
    const layers = [await buildLayer([{ path: 'a', content: '1' }], family)];
    const image = buildImage({
      layers,
      platform: { os: 'linux', architecture: 'arm64', variant: 'v8' },
      family,
      labels: { l: '1' },
      command: ['run'],
      entrypoint: ['/sh'],
      annotations: { note: 'x' },
    });
    const created = '1970-01-01T00:00:00Z';
    const manifest = parsed(image.manifest.bytes);

    expect(manifest.mediaType).toContain(start);
    expect(manifest.config.mediaType).toContain(config);
    expect(manifest.layers).toEqual([layers[0]?.descriptor]);
    expect(manifest.layers[0].mediaType).toContain(layer);
    expect(manifest.annotations).toEqual({ note: 'x' });
    expect(parsed(image.blobs[0]?.bytes)).toEqual({
      created,
      architecture: 'arm64',
      variant: 'v8',
      os: 'linux',
      config: { Entrypoint: ['/sh'], Cmd: ['run'], Labels: { l: '1' } },
      rootfs: { type: 'layers', diff_ids: [layers[0]?.diffId] },
      history: [{ created, created_by: 'atoll' }],
    });
  },
);

test('buildImage leaves out what is not given', () => {
  const image = buildImage({ layers: [], platform: AMD64 });

  expect(parsed(image.manifest.bytes)).not.toHaveProperty('annotations');
  expect(parsed(image.blobs[0]?.bytes)).not.toHaveProperty('variant');
  expect(parsed(image.blobs[0]?.bytes).config).toEqual({});
});

test.each([
  [undefined, 'application/vnd.oci.image.index.v1+json'],
  ['docker', 'application/vnd.docker.distribution.manifest.list.v2+json'],
] as const)('buildIndex lists images with their platforms in family %s', (family, mediaType) => {
  const image = buildImage({ layers: [], platform: AMD64 });
  const index = buildIndex([{ image, platform: AMD64 }], family);

  expect(parsed(index.manifest.bytes)).toEqual({
    schemaVersion: 2,
    mediaType,
    manifests: [{ ...image.manifest.descriptor, platform: AMD64 }],
  });
  expect(index.images).toEqual([image]);
});
