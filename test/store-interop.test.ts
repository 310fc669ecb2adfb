import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import type { Source } from '../src/oci/content.ts';
import type { Descriptor } from '../src/oci/descriptor.ts';
import { walk } from '../src/oci/walk.ts';
import { openDiskStore } from '../src/store/disk/disk-store.ts';
import { dirSource, openDirTarget } from '../src/store/layout/dir-transport.ts';
import { layoutRoot, layoutSource } from '../src/store/layout/source.ts';
import { layoutTarget } from '../src/store/layout/target.ts';
import { collect, describeBytes } from './support/bytes.ts';
import { copyRoot } from './support/copy-image.ts';
import { MemoryImages } from './support/images.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import { tempDir } from './support/temp.ts';

const ctx = silentContext();
const run = promisify(execFile);

async function skopeo(...args: readonly string[]): Promise<string> {
  const program = peerPath('skopeo') ?? 'skopeo';
  return (await run(program, ['--insecure-policy', ...args], { timeout: 20_000 })).stdout;
}

const copyAll = (from: string, to: string) =>
  skopeo('copy', '--quiet', '--all', '--preserve-digests', from, to);

async function twoPlatforms() {
  const images = new MemoryImages();
  const layer = await images.addLayer([{ name: 'etc/motd', content: 'hello' }]);
  const child = (architecture: string) => ({
    ...images.addImage([layer], undefined, {
      architecture,
      rootfs: { type: 'layers', diff_ids: [`sha256:${'1'.repeat(64)}`] },
    }),
    platform: { os: 'linux', architecture },
  });
  return { images, index: images.addIndex([child('amd64'), child('arm64')]) };
}

/** Reads every byte of an image and compares it with its digest. */
async function digestsOf(source: Source, root: Descriptor): Promise<string[]> {
  const digests: string[] = [];
  for await (const { descriptor, manifest } of walk(ctx, source, root)) {
    const bytes = manifest?.bytes ?? (await collect(source.blob(ctx, descriptor)));
    expect(describeBytes(bytes).digest).toBe(descriptor.digest);
    digests.push(descriptor.digest);
  }
  return digests.toSorted();
}

describeWithPeers(['skopeo'], 'layouts and folders of skopeo', () => {
  test('skopeo reads the layout we wrote, and we the one it wrote', async () => {
    const { images, index } = await twoPlatforms();
    const ours = await openDiskStore(await tempDir());
    await copyRoot(images, layoutTarget(ours), index, 'v1');
    const theirs = join(await tempDir(), 'layout');

    await copyAll(`oci:${ours.root}:v1`, `oci:${theirs}:again`);

    const store = await openDiskStore(theirs, { create: false });
    const root = await layoutRoot(ctx, store, 'again');
    expect(root.digest).toBe(index.digest);
    expect(await digestsOf(layoutSource(store), root)).toEqual(await digestsOf(images, index));
  });

  test('skopeo adds to a layout of ours, and both names stay', async () => {
    const { images, index } = await twoPlatforms();
    const { images: others, index: other } = await twoPlatforms();
    const ours = await openDiskStore(await tempDir());
    await copyRoot(images, layoutTarget(ours), index, 'quay.io/org/app:v1');
    const extra = await openDiskStore(await tempDir());
    await copyRoot(others, layoutTarget(extra), other);

    await copyAll(`oci:${extra.root}`, `oci:${ours.root}:second`);

    expect((await layoutRoot(ctx, ours, 'quay.io/org/app:v1')).digest).toBe(index.digest);
    expect((await layoutRoot(ctx, ours, 'second')).digest).toBe(other.digest);
  });

  test('skopeo reads the folder we wrote, and we the one it wrote', async () => {
    const { images, index } = await twoPlatforms();
    const ours = await tempDir();
    await copyRoot(images, await openDirTarget(ours), index);
    const theirs = join(await tempDir(), 'dir');

    await copyAll(`dir:${ours}`, `dir:${theirs}`);

    const source = dirSource(theirs);
    const root = await source.resolve(ctx, '');
    expect(root?.digest).toBe(index.digest);
    if (root) expect(await digestsOf(source, root)).toEqual(await digestsOf(images, index));
  });
});
