import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MemoryImages, type TarFile, tarOf } from '../../../test/support/images.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { createWeb } from '../../http/web.ts';
import { digestOf } from '../../oci/digest.ts';
import type { ImageManifest } from '../../oci/manifest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { chooseImage } from '../layers/choose-image.ts';
import { readConfig } from '../layers/image-config.ts';
import { readLayerFiles } from '../layers/layer-files.ts';
import { buildGraphImage, readGraphData } from './graph-image.ts';

const ctx = silentContext();
const ARM = { os: 'linux', architecture: 'arm64' };
const AMD = { os: 'linux', architecture: 'amd64' };

const DATA: readonly TarFile[] = [
  { name: './', type: 'directory' },
  { name: './version', content: '1.2.0' },
  { name: './channels/stable-4.18.yaml', content: 'name: stable-4.18' },
];

async function baseImages() {
  const images = new MemoryImages();
  const layer = await images.addLayer([{ name: 'bin/bash', content: 'bash' }]);
  const config = (architecture: string) => ({
    architecture,
    created: '2026-01-01T00:00:00Z',
    config: { Cmd: ['/bin/bash'], Labels: { a: 'b' } },
    rootfs: { type: 'layers', diff_ids: [digestOf('base')] },
    history: [{ created_by: 'base' }],
  });
  const amd = images.addImage([layer], undefined, config('amd64'));
  const arm = images.addImage([layer], undefined, config('arm64'));
  const base = images.addIndex([
    { ...amd, platform: AMD },
    { ...arm, platform: ARM },
    { ...amd, platform: { os: 'unknown', architecture: 'unknown' } },
  ]);
  return { images, base, amd };
}

describe('buildGraphImage', () => {
  test('adds the data to every platform of the base, and the command the service runs', async () => {
    const { images, base } = await baseImages();
    const graphData = gzipSync(await tarOf(DATA));

    const built = await buildGraphImage(ctx, { source: images, base, graphData });

    const index = await built.source.manifest(ctx, built.descriptor);
    expect(index.children.map(({ platform }) => platform?.architecture)).toEqual([
      'amd64',
      'arm64',
    ]);
    const arm = await chooseImage(ctx, built.source, built.descriptor, ARM);
    const files = await readLayerFiles(ctx, built.source, arm, () => true);
    expect([...files.keys()]).toEqual([
      'bin/bash',
      'var/lib/cincinnati-graph-data/channels/stable-4.18.yaml',
      'var/lib/cincinnati-graph-data/version',
    ]);
    const config = await readConfig(ctx, built.source, arm.content as ImageManifest);
    expect(config).toMatchObject({
      architecture: 'arm64',
      config: {
        Labels: { a: 'b' },
        Cmd: [
          '/bin/bash',
          '-c',
          'exec cp -rp /var/lib/cincinnati-graph-data/* /var/lib/cincinnati/graph-data',
        ],
      },
    });
    expect(config.rootfs?.diff_ids).toHaveLength(2);
    expect(config.history).toHaveLength(2);
  });

  test('gives the same digest whatever the order, compression, folder and times of the data', async () => {
    const { images, base } = await baseImages();
    const build = async (graphData: Uint8Array) =>
      (await buildGraphImage(ctx, { source: images, base, graphData })).descriptor.digest;
    const inFolder = DATA.toReversed().map((file) => ({ ...file, name: `graph-abc/${file.name}` }));

    const digests = [
      await build(gzipSync(await tarOf(DATA))),
      await build(await tarOf(DATA.toReversed())),
      await build(gzipSync(await tarOf(inFolder))),
    ];

    expect(new Set(digests).size).toBe(1);
  });

  test('keeps the media types of the base and takes only the wanted platforms', async () => {
    const { images, base, amd } = await baseImages();
    const graphData = await tarOf(DATA);
    const { config, layers } = (await images.manifest(ctx, amd)).content as ImageManifest;
    const docker = images.addManifest({ config, layers }, MEDIA_TYPES.dockerManifest);
    const one = await buildGraphImage(ctx, { source: images, base: docker, graphData });
    const sparse = await buildGraphImage(ctx, {
      source: images,
      base,
      graphData,
      platforms: [ARM],
    });

    expect(one.descriptor.mediaType).toBe(MEDIA_TYPES.dockerManifest);
    expect((await one.source.manifest(ctx, one.descriptor)).children.at(-1)?.mediaType).toBe(
      MEDIA_TYPES.dockerLayerGzip,
    );
    const { children } = await sparse.source.manifest(ctx, sparse.descriptor);
    expect(children.map(({ platform }) => platform)).toEqual([ARM]);
  });

  test('carries the signatures of releases', async () => {
    const { images, amd } = await baseImages();
    const digest = digestOf('release');
    const release = { version: '4.18.1', tag: '4.18.1-x86_64' };

    const built = await buildGraphImage(ctx, {
      source: images,
      base: amd,
      graphData: await tarOf(DATA),
      signatures: [{ digest, bytes: Buffer.from('sig'), release }],
    });

    const manifest = await built.source.manifest(ctx, built.descriptor);
    const files = await readLayerFiles(ctx, built.source, manifest, () => true);
    expect([...files.keys()]).toContain(
      `var/lib/cincinnati-graph-data/signatures/sha256/${digest.slice(7)}/signature-1`,
    );
  });

  test('refuses what is no graph data', async () => {
    const { images, amd } = await baseImages();
    const build = (graphData: Uint8Array) =>
      buildGraphImage(ctx, { source: images, base: amd, graphData });

    await expect(build(Buffer.from('<html>'.repeat(200)))).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
    await expect(build(await tarOf([{ name: 'a', content: 'a' }]))).rejects.toThrow(
      'it has no channels folder',
    );
  });
});

test('readGraphData takes a file or a URL', async () => {
  const path = join(await tempDir(), 'graph.tar');
  await writeFile(path, 'data');
  const web = createWeb();

  expect(String(await readGraphData(ctx, web, path))).toBe('data');
  expect(String(await readGraphData(ctx, web, `file://${path}`))).toBe('data');
  await expect(readGraphData(ctx, web, `file://${path}x`)).rejects.toThrow('nothing at');
});
