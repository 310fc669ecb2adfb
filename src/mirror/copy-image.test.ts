import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeWithPeers } from '../../test/support/peers.ts';
import { tempDir } from '../../test/support/temp.ts';
import { UPSTREAM } from '../../test/support/upstream.ts';
import { silentContext } from '../core/context.ts';
import { DEFAULT_RETRY } from '../core/retry.ts';
import { parsePlatform } from '../oci/platform.ts';
import type { Registries } from '../remote/registries.ts';
import { type CopyImageOptions, copyImage } from './copy-image.ts';
import { parseImageLocation } from './image-location.ts';

const HELLO = 'quay.io/openshifttest/hello-openshift:multiarch';
const LAYOUT = join(UPSTREAM, 'layout');
const run = promisify(execFile);

/** Folders need no registry; whoever asks for one has made a mistake. */
const none: Registries = {
  repository: () => {
    throw new Error('No registry is expected here');
  },
  at: () => {
    throw new Error('No registry is expected here');
  },
  source: () => {
    throw new Error('No registry is expected here');
  },
  lookaside: async () => undefined,
  catalog: () => {
    throw new Error('No registry is expected here');
  },
  limiter: () => {
    throw new Error('No registry is expected here');
  },
  retry: DEFAULT_RETRY,
  close: async () => undefined,
};

function copy(from: string, to: string, options: Partial<CopyImageOptions> = {}) {
  return copyImage(silentContext(), {
    from: parseImageLocation(from),
    to: parseImageLocation(to),
    registries: none,
    platforms: [],
    sparse: false,
    signatures: true,
    ...options,
  });
}

test('copyImage carries an image through a layout and a folder without changing its digest', async () => {
  const folder = await tempDir();

  const first = await copy(`oci:${LAYOUT}:${HELLO}`, `oci:${folder}/a:hello`);
  const second = await copy(`oci:${folder}/a:hello`, `dir:${folder}/b`);
  const third = await copy(`dir:${folder}/b`, `oci:${folder}/c`);

  expect(first.blobs.copied).toBeGreaterThan(4);
  expect([second.digest, third.digest]).toEqual([first.digest, first.digest]);
  expect(third.blobs.copiedBytes).toBe(first.blobs.copiedBytes);
});

test('copyImage finds nothing to do the second time', async () => {
  const folder = await tempDir();
  for (const target of [`oci:${folder}/a:hello`, `oci:${folder}/b`, `dir:${folder}/c`]) {
    await copy(`oci:${LAYOUT}:${HELLO}`, target);

    const again = await copy(`oci:${LAYOUT}:${HELLO}`, target);

    expect([target, again.outcome]).toEqual([target, 'skipped']);
  }
});

test('copyImage makes a sparse copy into a layout, and completes it later', async () => {
  const folder = await tempDir();
  const platforms = [parsePlatform('linux/arm64')];
  const source = `oci:${LAYOUT}:${HELLO}`;

  const sparse = await copy(source, `oci:${folder}/a:hello`, { platforms, sparse: true });
  const single = await copy(source, `oci:${folder}/b:hello`, { platforms });
  const whole = await copy(source, `oci:${folder}/a:hello`);

  expect(sparse.digest).toBe(whole.digest);
  expect(single.digest).not.toBe(whole.digest);
  expect(sparse.blobs.copiedBytes).toBe(single.blobs.copiedBytes);
  expect(whole.blobs.copied).toBeGreaterThan(0);
});

test('copyImage refuses combinations that mean nothing', async () => {
  const two = [parsePlatform('amd64'), parsePlatform('arm64')];
  const target = `docker://m.test/a@sha256:${'a'.repeat(64)}`;

  await expect(copy('oci:a', 'oci:b', { sparse: true })).rejects.toMatchObject({ code: 'USAGE' });
  await expect(copy('oci:a', 'oci:b', { platforms: two })).rejects.toMatchObject({ code: 'USAGE' });
  await expect(copy('oci:a', target)).rejects.toMatchObject({ code: 'USAGE' });
});

test('copyImage throws what stopped it', async () => {
  const folder = await tempDir();
  const platforms = [parsePlatform('linux/riscv64')];

  await expect(copy(`oci:${LAYOUT}:nope`, `oci:${folder}/a`)).rejects.toMatchObject({
    code: 'IMAGE_UNKNOWN',
  });
  await expect(
    copy(`oci:${LAYOUT}:${HELLO}`, `oci:${folder}/a`, { platforms }),
  ).rejects.toMatchObject({ code: 'IMAGE_UNKNOWN' });
});

describeWithPeers(['skopeo'], 'copyImage and skopeo', () => {
  test('read what the other wrote, from layouts and folders', async () => {
    const folder = await tempDir();
    const skopeo = (from: string, to: string) =>
      run('skopeo', ['copy', '--all', '--preserve-digests', '--insecure-policy', from, to]);
    const { digest } = await copy(`oci:${LAYOUT}:${HELLO}`, `oci:${folder}/ours:hello`);
    await copy(`oci:${folder}/ours:hello`, `dir:${folder}/our-dir`);

    await skopeo(`oci:${folder}/ours:hello`, `dir:${folder}/their-dir`);
    await skopeo(`dir:${folder}/our-dir`, `oci:${folder}/theirs:hello`);

    const back = await copy(`dir:${folder}/their-dir`, `oci:${folder}/back:hello`);
    const again = await copy(`oci:${folder}/theirs:hello`, `oci:${folder}/again:hello`);
    expect([back.digest, again.digest]).toEqual([digest, digest]);
    const manifest = await readFile(join(folder, 'their-dir', 'manifest.json'));
    expect(manifest.equals(await readFile(join(folder, 'our-dir', 'manifest.json')))).toBe(true);
  });
});
