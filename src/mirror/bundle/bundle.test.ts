import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { recordingContext, silentContext } from '../../core/context.ts';
import { type Blob, blobOf, buildImage, buildLayer } from '../../oci/build-image.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { digestOf } from '../../oci/digest.ts';
import { parseIndex } from './bundle-index.ts';
import { BundleReader } from './bundle-reader.ts';
import { BundleWriter } from './bundle-writer.ts';
import { piecesOf } from './chunk-files.ts';

const ctx = silentContext();
const EMPTY = { images: [], signatures: [] };
const blobs = [700, 5000, 12, 900].map((size, index) =>
  blobOf('application/x', Buffer.alloc(size, index + 1)),
);

async function* parts(bytes: Uint8Array, size = 100): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function save(
  folder: string,
  order: readonly Blob[],
  have?: ReadonlyMap<string, string>,
): Promise<void> {
  const writer = await BundleWriter.open(folder, { chunkBytes: 1024, have });
  await writer.prepare(
    ctx,
    order.map((blob) => blob.descriptor),
  );
  for (const { descriptor, bytes } of order) {
    if (!(await writer.has(ctx, descriptor))) await put(writer, descriptor, bytes);
  }
  await writer.finish(ctx, EMPTY);
}

/** Goes on where an earlier run was, and begins anew where that was wrong. */
async function put(writer: BundleWriter, blob: Descriptor, bytes: Uint8Array): Promise<void> {
  const kept = Math.min(await writer.partial(ctx, blob), blob.size);
  await writer
    .putRest(ctx, blob, kept, parts(bytes.subarray(kept)))
    .catch(() => writer.putBlob(ctx, blob, parts(bytes)));
}

async function openReader(folder: string): Promise<BundleReader> {
  const reader = await BundleReader.open(ctx, folder);
  onTestFinished(() => reader.close());
  return reader;
}

async function contentOf(reader: BundleReader, blob: Blob, offset = 0): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const bytes of reader.source().blob(ctx, blob.descriptor, offset)) found.push(bytes);
  return Buffer.concat(found);
}

describe('BundleWriter and BundleReader', () => {
  test('carry blobs over the ends of chunks', async () => {
    const folder = await tempDir();
    await save(folder, blobs);

    const reader = await openReader(folder);

    for (const blob of blobs)
      expect(digestOf(await contentOf(reader, blob))).toBe(blob.descriptor.digest);
    expect(await contentOf(reader, blobs[1] as Blob, 4990)).toHaveLength(10);
    expect((await readdir(folder)).toSorted()).toEqual([
      'README_FIRST.txt',
      'SHA256SUMS',
      'bundle.json',
      'bundle.provenance.json',
      'bundle.spdx.json',
      ...[1, 2, 3, 4, 5, 6, 7].map((n) => `chunk-00000${n}.atoll`),
    ]);
  });

  test('give the same bytes whatever the order in which blobs came', async () => {
    const [a, b] = [await tempDir(), await tempDir()];
    await save(a, blobs);
    await save(b, blobs.toReversed());

    expect(await readFile(join(a, 'bundle.json'))).toEqual(await readFile(join(b, 'bundle.json')));
    expect(await readFile(join(a, 'chunk-000003.atoll'))).toEqual(
      await readFile(join(b, 'chunk-000003.atoll')),
    );
  });

  test('find a damaged chunk before it is used, and need only that one again', async () => {
    const folder = await tempDir();
    await save(folder, blobs);
    const path = join(folder, 'chunk-000002.atoll');
    const good = await readFile(path);
    const bad = Buffer.from(good);
    bad[5] = (bad[5] ?? 0) ^ 1;
    await writeFile(path, bad);

    const reader = await openReader(folder);
    const watched = recordingContext();
    expect(await reader.damaged(watched)).toEqual([
      { file: 'chunk-000002.atoll', found: 'different bytes' },
    ]);
    expect(watched.events.at(-1)).toMatchObject({ type: 'task.failed', message: '1 damaged' });
    await expect(contentOf(reader, blobs[1] as Blob)).rejects.toMatchObject({
      code: 'BUNDLE_DAMAGED',
    });

    await writeFile(path, good);
    expect(await (await openReader(folder)).damaged(ctx)).toEqual([]);
  });

  test('name a chunk that is missing or short', async () => {
    const folder = await tempDir();
    await save(folder, blobs);
    await rm(join(folder, 'chunk-000001.atoll'));
    await writeFile(join(folder, 'chunk-000004.atoll'), 'short');

    const found = await (await openReader(folder)).damaged(ctx);

    expect(found).toEqual([
      { file: 'chunk-000001.atoll', found: 'missing' },
      { file: 'chunk-000004.atoll', found: '5 instead of 1024 bytes' },
    ]);
  });

  test('leave out what the other side has, and say so when it does not', async () => {
    const folder = await tempDir();
    const [first, second] = blobs as [Blob, Blob];
    await save(folder, blobs, new Map([[first.descriptor.digest, 'ocp/base']]));

    const reader = await openReader(folder);

    expect(reader.index.base).toEqual([
      { digest: first.descriptor.digest, repository: 'ocp/base' },
    ]);
    expect(reader.has(second.descriptor.digest)).toBe(true);
    await expect(contentOf(reader, first)).rejects.toMatchObject({ code: 'BUNDLE_BASE_MISSING' });
  });

  test('go on mid-blob after an interruption', async () => {
    const folder = await tempDir();
    const big = blobOf('application/x', Buffer.alloc(9 * 1024 * 1024, 7));
    const options = { chunkBytes: 5 * 1024 * 1024 };
    const first = await BundleWriter.open(folder, options);
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield big.bytes.subarray(0, 6 * 1024 * 1024);
      throw new Error('cable out');
    }
    await expect(first.putBlob(ctx, big.descriptor, cut())).rejects.toThrow('cable out');
    await first.close();

    const second = await BundleWriter.open(folder, options);
    const kept = await second.partial(ctx, big.descriptor);
    await second.putRest(ctx, big.descriptor, kept, parts(big.bytes.subarray(kept), 1 << 20));
    await second.finish(ctx, EMPTY);

    expect(kept).toBe(6 * 1024 * 1024);
    const reader = await openReader(folder);
    expect(digestOf(await contentOf(reader, big))).toBe(big.descriptor.digest);
  });

  test('believe in nothing that an earlier run wrote until it was read again', async () => {
    const folder = await tempDir();
    const options = { chunkBytes: 1024 };
    const [right, wrong] = blobs as [Blob, Blob];
    const first = await BundleWriter.open(folder, options);
    for (const { descriptor, bytes } of [right, wrong])
      await first.putBlob(ctx, descriptor, parts(bytes));
    await first.close();
    await writeFile(join(folder, 'chunk-000004.atoll'), Buffer.alloc(1024));

    const second = await BundleWriter.open(folder, options);
    for (const { descriptor } of [right, wrong])
      expect([await second.has(ctx, descriptor), await second.partial(ctx, descriptor)]).toEqual([
        false,
        descriptor.size,
      ]);
    await second.putRest(ctx, right.descriptor, right.bytes.length, parts(Buffer.alloc(0)));
    const lost = second.putRest(ctx, wrong.descriptor, wrong.bytes.length, parts(Buffer.alloc(0)));

    await expect(lost).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
    expect(await second.has(ctx, right.descriptor)).toBe(true);
    expect(await second.partial(ctx, wrong.descriptor)).toBe(0);
    await second.close();
  });

  test('are right though what an earlier run noted was altered', async () => {
    const options = { chunkBytes: 1024 };
    const folder = await tempDir();
    const first = await BundleWriter.open(folder, options);
    await first.prepare(
      ctx,
      blobs.map(({ descriptor }) => descriptor),
    );
    for (const { descriptor, bytes } of blobs.slice(0, 2))
      await first.putBlob(ctx, descriptor, parts(bytes));
    await first.close();
    const state = await readFile(join(folder, 'bundle.state'), 'utf8');
    const digits = [...state.matchAll(/(?<=:)\d/g)].map(({ index }) => index);

    for (const at of digits) {
      const altered = `${folder}-${at}`;
      await cp(folder, altered, { recursive: true });
      const digit = String.fromCharCode(state.charCodeAt(at) ^ 1);
      await writeFile(
        join(altered, 'bundle.state'),
        state.slice(0, at) + digit + state.slice(at + 1),
      );
      await save(altered, blobs);

      const reader = await openReader(altered);
      for (const blob of blobs)
        expect(digestOf(await contentOf(reader, blob))).toBe(blob.descriptor.digest);
      await rm(altered, { recursive: true });
    }
    expect(digits.length).toBeGreaterThan(5);
  });

  test('do not grow over a last chunk that was damaged meanwhile', async () => {
    const folder = await tempDir();
    await save(folder, blobs.slice(0, 1));
    const path = join(folder, 'chunk-000001.atoll');
    const bytes = await readFile(path);
    bytes[5] = (bytes[5] ?? 0) ^ 1;
    await writeFile(path, bytes);
    const more = blobs[3] as Blob;
    const writer = await BundleWriter.grow(folder);
    await writer.putBlob(ctx, more.descriptor, parts(more.bytes));

    await expect(writer.finish(ctx, EMPTY)).rejects.toMatchObject({ code: 'BUNDLE_DAMAGED' });

    await writer.close();
    expect(await readdir(folder)).not.toContain('bundle.json');
  });

  test('grow: what was there stays, and only the last chunk changes', async () => {
    const folder = await tempDir();
    await save(folder, blobs.slice(0, 2));
    const before = JSON.parse(await readFile(join(folder, 'bundle.json'), 'utf8'));
    const more = blobs[3] as Blob;

    const writer = await BundleWriter.grow(folder);
    expect(await readdir(folder)).not.toContain('bundle.json');
    await writer.close();
    const again = await BundleWriter.grow(folder);
    await again.putBlob(ctx, more.descriptor, parts(more.bytes));
    await again.finish(ctx, EMPTY);

    const reader = await openReader(folder);
    expect(reader.index.chunks.slice(0, 5)).toEqual(before.chunks.slice(0, 5));
    expect(await reader.damaged(ctx)).toEqual([]);
    for (const blob of [blobs[0], blobs[1], more] as Blob[])
      expect(digestOf(await contentOf(reader, blob))).toBe(blob.descriptor.digest);
  });

  test('refuse wrong bytes and start that blob again', async () => {
    const writer = await BundleWriter.open(await tempDir(), { chunkBytes: 1024 });
    const [blob] = blobs as [Blob];

    await expect(
      writer.putBlob(ctx, blob.descriptor, parts(Buffer.alloc(700))),
    ).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
    expect(await writer.partial(ctx, blob.descriptor)).toBe(0);
    await writer.close();
  });

  test('keep a blob whole whose neighbour was said to be smaller than it is', async () => {
    const folder = await tempDir();
    const sorted = blobs.toSorted((a, b) => (a.descriptor.digest < b.descriptor.digest ? -1 : 1));
    const [first, second] = sorted as [Blob, Blob];
    const writer = await BundleWriter.open(folder, { chunkBytes: 1024 });
    await writer.prepare(ctx, [{ ...first.descriptor, size: 1 }, second.descriptor]);

    await writer.putBlob(ctx, second.descriptor, parts(second.bytes));
    await writer.putBlob(ctx, first.descriptor, parts(first.bytes));
    await writer.finish(ctx, EMPTY);

    const reader = await openReader(folder);
    for (const blob of [first, second])
      expect(digestOf(await contentOf(reader, blob))).toBe(blob.descriptor.digest);
  });

  test('grow from the index, not from what an interrupted run left beside it', async () => {
    const [folder, old] = [await tempDir(), await tempDir()];
    const [first, second, third] = blobs as [Blob, Blob, Blob];
    await save(old, [first]);
    await save(folder, [first, second]);
    await cp(join(old, 'bundle.json'), join(folder, 'bundle.previous.json'));

    const writer = await BundleWriter.grow(folder);
    await writer.putBlob(ctx, third.descriptor, parts(third.bytes));
    await writer.finish(ctx, EMPTY);

    const reader = await openReader(folder);
    for (const blob of [first, second, third])
      expect(digestOf(await contentOf(reader, blob))).toBe(blob.descriptor.digest);
  });

  test('carry manifests, byte for byte', async () => {
    const folder = await tempDir();
    const layer = await buildLayer([{ path: 'a', content: 'b' }]);
    const image = buildImage({ layers: [layer], platform: { os: 'linux', architecture: 'amd64' } });
    const writer = await BundleWriter.open(folder, { chunkBytes: 1024 });
    for (const { descriptor, bytes } of image.blobs)
      await writer.putBlob(ctx, descriptor, parts(bytes));
    await writer.putManifest(ctx, image.manifest);
    await writer.finish(ctx, EMPTY);

    const read = await (await openReader(folder)).source().manifest(ctx, image.manifest.descriptor);

    expect(Buffer.from(read.bytes)).toEqual(Buffer.from(image.manifest.bytes));
  });

  test('go on when nobody was told of the index', async () => {
    const folder = await tempDir();
    const killed = new Error('killed');
    const writer = await BundleWriter.open(folder, { chunkBytes: 1024 });
    await writer.prepare(
      ctx,
      blobs.map((blob) => blob.descriptor),
    );
    for (const { descriptor, bytes } of blobs) await writer.putBlob(ctx, descriptor, parts(bytes));
    const tell = () => Promise.reject(killed);
    await expect(writer.finish(ctx, EMPTY, { tell })).rejects.toBe(killed);
    await writer.close();
    const index = await readFile(join(folder, 'bundle.json'));

    await save(folder, blobs);

    expect(await readFile(join(folder, 'bundle.json'))).toEqual(index);
    expect(await readdir(folder)).not.toContain('bundle.state');
  });

  test('never overwrite a finished bundle that was about to grow', async () => {
    const folder = await tempDir();
    await save(folder, blobs);
    const index = await readFile(join(folder, 'bundle.json'));
    await (await BundleWriter.grow(folder)).close();
    // Killed before the old index went.
    await writeFile(join(folder, 'bundle.json'), index);

    await expect(BundleWriter.open(folder, { chunkBytes: 1024 })).rejects.toMatchObject({
      code: 'BUNDLE_INVALID',
    });
    expect(await readFile(join(folder, 'bundle.json'))).toEqual(index);
  });

  test('never overwrite a finished bundle, nor mix chunk sizes', async () => {
    const folder = await tempDir();
    const started = await BundleWriter.open(folder, { chunkBytes: 1024 });
    await started.close();
    await expect(BundleWriter.open(folder, { chunkBytes: 2048 })).rejects.toMatchObject({
      code: 'BUNDLE_INVALID',
    });
    await save(folder, blobs);

    await expect(BundleWriter.open(folder, { chunkBytes: 1024 })).rejects.toMatchObject({
      code: 'BUNDLE_INVALID',
    });
    expect((await stat(join(folder, 'bundle.json'))).size).toBeGreaterThan(0);
  });
});

test('BundleReader.open says what is missing', async () => {
  await expect(BundleReader.open(ctx, await tempDir())).rejects.toMatchObject({
    code: 'BUNDLE_INVALID',
  });
});

test('parseIndex refuses chunk names that lead elsewhere', async () => {
  const folder = await tempDir();
  await save(folder, blobs);
  const text = await readFile(join(folder, 'bundle.json'), 'utf8');

  expect(() => parseIndex('x', text.replace('chunk-000001.atoll', '../../etc/passwd'))).toThrow(
    expect.objectContaining({ code: 'BUNDLE_INVALID' }),
  );
});

test('parseIndex finds a digit that changed on the way', async () => {
  const folder = await tempDir();
  await save(folder, blobs);
  const text = await readFile(join(folder, 'bundle.json'), 'utf8');
  const digits = [...text.matchAll(/\d/g)].map(({ index }) => index);

  const unnoticed = digits.filter((at) => {
    const digit = (Number(text[at]) + 1) % 10;
    try {
      parseIndex('x', `${text.slice(0, at)}${digit}${text.slice(at + 1)}`);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'BUNDLE_INVALID' });
      return false;
    }
  });

  expect(digits.length).toBeGreaterThan(100);
  expect(unnoticed).toEqual([]);
});

test('piecesOf cuts a run of bytes at the ends of chunks', () => {
  expect(piecesOf(1000, 50, 1024)).toEqual([
    { chunk: 0, at: 1000, length: 24 },
    { chunk: 1, at: 0, length: 26 },
  ]);
});
