import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryRegistry } from '../../../test/support/memory-content.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import type { BulkSource } from '../../oci/bulk.ts';
import type { Source } from '../../oci/content.ts';
import { digestOf } from '../../oci/digest.ts';
import { ContentCheck } from '../../remote/ops/uploads/content-check.ts';
import { copyImages } from '../copy/copy-images.ts';
import { Spool } from './spool.ts';

const ctx = silentContext();
const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
const blob = { mediaType: 'application/x', digest: digestOf(bytes), size: bytes.length };
const name = blob.digest.replace(':', '-');

/** A source that gives the blob, or a wrong one, in small pieces and breaks off where it is told to. */
function sourceOf(
  breakAt = Number.POSITIVE_INFINITY,
  plus = 0,
): Source & { readonly offsets: number[] } {
  const offsets: number[] = [];
  return {
    offsets,
    can: {},
    resolve: async () => undefined,
    manifest: () => Promise.reject(new Error('none')),
    async *blob(_ctx, _blob, offset = 0) {
      offsets.push(offset);
      for (let at = offset; at < bytes.length; at += 10_000) {
        if (at >= breakAt) throw new Error('cable out');
        yield bytes.subarray(at, Math.min(at + 10_000, bytes.length)).map((each) => each + plus);
      }
    },
  };
}

async function readThrough(spool: Spool, source: Source, offset = 0): Promise<Buffer> {
  const found: Buffer[] = [];
  const download = await spool.before(source).can.openBlob(ctx, blob, offset);
  await download.pump(ctx, (chunk) => {
    found.push(Buffer.from(chunk));
  });
  return Buffer.concat(found);
}

/** A source as the HTTP client is one: its buffers are used again as soon as a call has settled. */
function pooledSource(): Source {
  const openBlob: BulkSource['openBlob'] = async (_ctx, _blob, offset = 0) => ({
    size: blob.size - offset,
    cancel: () => undefined,
    async pump(_ctx, sink) {
      const calls = [0, 10_000].map(async (at) => {
        const buffer = Buffer.from(bytes.subarray(offset + at, offset + at + 10_000));
        try {
          await sink(buffer);
        } finally {
          buffer.fill('another blob');
        }
      });
      await Promise.all(calls);
    },
  });
  return { ...sourceOf(), can: { openBlob } };
}

test('Spool never keeps the bytes of another blob, though the target fails while it writes', async () => {
  const folder = await tempDir();
  const download = await new Spool(folder).before(pooledSource()).can.openBlob(ctx, blob, 0);
  let calls = 0;
  const failing = download.pump(ctx, async () => {
    calls += 1;
    if (calls === 2) throw new Error('the registry is gone');
  });
  await expect(failing).rejects.toThrow('the registry is gone');

  const later = sourceOf();
  const whole = await readThrough(new Spool(folder), later);

  expect(whole.equals(bytes)).toBe(true);
  // Not even for a checksum to find: the chunks that came are as they were.
  expect(later.offsets).toEqual([20_000]);
});

test('Spool asks the source only for what an earlier process did not get', async () => {
  const folder = await tempDir();
  await expect(readThrough(new Spool(folder), sourceOf(120_000))).rejects.toThrow('cable out');
  const source = sourceOf();

  const whole = await readThrough(new Spool(folder), source);

  expect(whole.equals(bytes)).toBe(true);
  expect(source.offsets).toEqual([120_000]);
});

test('Spool serves a later start from what it keeps', async () => {
  const folder = await tempDir();
  await expect(readThrough(new Spool(folder), sourceOf(120_000))).rejects.toThrow();
  const source = sourceOf();

  const rest = await readThrough(new Spool(folder), source, 50_000);

  expect(rest.equals(bytes.subarray(50_000))).toBe(true);
  expect(source.offsets).toEqual([120_000]);
});

test.each([
  ['zeros', (kept: Buffer) => kept.fill(0)],
  ['a byte that is altered', (kept: Buffer) => kept.writeUInt8(kept.readUInt8(70_000) ^ 1, 70_000)],
  ['a header of another length', (kept: Buffer) => kept.writeUInt32LE(9_999, 60_048)],
])('Spool takes the rest from the source where it finds %s', async (_what, damage) => {
  const folder = await tempDir();
  await expect(readThrough(new Spool(folder), sourceOf(120_000))).rejects.toThrow();
  const kept = await readFile(join(folder, name));
  damage(kept);
  await writeFile(join(folder, name), kept);
  const source = sourceOf();

  const whole = await readThrough(new Spool(folder), source);
  const again = await readThrough(new Spool(folder), sourceOf(0));

  expect(whole.equals(bytes)).toBe(true);
  expect(source.offsets[0]).toBeLessThan(120_000);
  expect(again.equals(bytes)).toBe(true);
});

test('Spool does not keep the end of a file that a kill cut short', async () => {
  const folder = await tempDir();
  await expect(readThrough(new Spool(folder), sourceOf(120_000))).rejects.toThrow();
  await truncate(join(folder, name), 100_000);
  const source = sourceOf();

  expect((await readThrough(new Spool(folder), source)).equals(bytes)).toBe(true);
  expect(source.offsets).toEqual([90_000]);
});

test('Spool does not believe in a blob that was read to its end and is wanted again', async () => {
  const spool = new Spool(await tempDir());
  const wrong = await readThrough(spool, sourceOf(Number.POSITIVE_INFINITY, 1));

  const right = await readThrough(spool, sourceOf());

  expect(wrong.equals(bytes)).toBe(false);
  expect(right.equals(bytes)).toBe(true);
});

test('Spool drops what it kept when the target finds that the content is wrong', async () => {
  const folder = await tempDir();
  const wrong = sourceOf(120_000, 1);
  await expect(readThrough(new Spool(folder), wrong)).rejects.toThrow('cable out');
  const verifying = async (spool: Spool) => {
    const download = await spool.before(sourceOf()).can.openBlob(ctx, blob, 0);
    const check = new ContentCheck(blob);
    await download.pump(ctx, (chunk) => check.take(chunk, check.position));
  };
  const spool = new Spool(folder);

  await expect(verifying(spool)).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });

  await verifying(spool);
});

test('Spool is told what the mirror has, and frees it though nobody hears of events', async () => {
  const folder = await tempDir();
  const from = new MemoryRegistry('upstream.test').repository('app');
  const target = new MemoryRegistry('mirror.test').repository('app');
  from.addImage(['a'.repeat(100_000), 'b'.repeat(100_000)], 'v1');
  const spool = new Spool(folder);
  const seen = new Set<string>();
  target.can = {
    ...target.can,
    async putBlobFrom(_ctx, each, { openBlob }) {
      const download = await openBlob(ctx, each);
      await download.pump(ctx, () => undefined);
      for (const file of await readdir(folder)) seen.add(file);
      await target.putBlob(ctx, each, from.blob(ctx, each));
      return 'copied';
    },
  };

  const { failed } = await copyImages(silentContext({ emit: () => undefined }), {
    images: [
      {
        source: spool.before(from),
        target,
        reference: 'v1',
        tags: ['v1'],
        from: 'upstream.test/app:v1',
        to: 'mirror.test/app:v1',
      },
    ],
    delivered: (each) => spool.delivered(each),
  });

  expect(failed).toBe(0);
  expect(seen.size).toBe(3);
  expect(await readdir(folder)).toEqual([]);
});

test('Spool clears all at the end', async () => {
  const folder = await tempDir();
  const spool = new Spool(join(folder, 'spool'));
  await readThrough(spool, sourceOf());
  expect(await readdir(join(folder, 'spool'))).toEqual([name]);

  await spool.clear();

  expect(await readdir(folder)).toEqual([]);
});

test('Spool passes everything on where nothing can be kept', async () => {
  const folder = await tempDir();
  await writeFile(join(folder, 'file'), '');

  const whole = await readThrough(new Spool(join(folder, 'file')), sourceOf());

  expect(whole.equals(bytes)).toBe(true);
});
