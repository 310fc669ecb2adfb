import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import type { Source } from '../../oci/content.ts';
import { digestOf } from '../../oci/digest.ts';
import { Spool } from './spool.ts';

const ctx = silentContext();
const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
const blob = { mediaType: 'application/x', digest: digestOf(bytes), size: bytes.length };
const name = blob.digest.replace(':', '-');

/** A source that gives the blob in small pieces and breaks off where it is told to. */
function sourceOf(breakAt = Number.POSITIVE_INFINITY): Source & { readonly offsets: number[] } {
  const offsets: number[] = [];
  return {
    offsets,
    resolve: async () => undefined,
    manifest: () => Promise.reject(new Error('none')),
    async *blob(_ctx, _blob, offset = 0) {
      offsets.push(offset);
      for (let at = offset; at < bytes.length; at += 10_000) {
        if (at >= breakAt) throw new Error('cable out');
        yield bytes.subarray(at, Math.min(at + 10_000, bytes.length));
      }
    },
  };
}

async function readThrough(spool: Spool, source: Source, offset = 0): Promise<Buffer> {
  const found: Buffer[] = [];
  const download = await spool.before(source).openBlob(ctx, blob, offset);
  await download.pump(ctx, (chunk) => {
    found.push(Buffer.from(chunk));
  });
  return Buffer.concat(found);
}

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

test('Spool does not believe in a blob that was read to its end and is wanted again', async () => {
  const folder = await tempDir();
  await writeFile(join(folder, name), Buffer.alloc(100_000));
  const spool = new Spool(folder);
  const wrong = await readThrough(spool, sourceOf());

  const right = await readThrough(spool, sourceOf());

  expect(wrong.equals(bytes)).toBe(false);
  expect(right.equals(bytes)).toBe(true);
});

test('Spool forgets a blob when the mirror has it, and all at the end', async () => {
  const folder = await tempDir();
  const spool = new Spool(join(folder, 'spool'));
  await readThrough(spool, sourceOf());
  expect((await readFile(join(folder, 'spool', name))).equals(bytes)).toBe(true);

  spool.watching(ctx).emit({ type: 'blob.copied', digest: blob.digest, sizeBytes: blob.size });
  await spool.clear();

  expect(await readdir(folder)).toEqual([]);
});

test('Spool passes everything on where nothing can be kept', async () => {
  const folder = await tempDir();
  await writeFile(join(folder, 'file'), '');

  const whole = await readThrough(new Spool(join(folder, 'file')), sourceOf());

  expect(whole.equals(bytes)).toBe(true);
});
