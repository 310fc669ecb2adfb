import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
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
