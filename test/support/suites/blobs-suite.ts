import { describe, expect, test } from 'vitest';
import { silentContext } from '../../../src/core/context.ts';
import { parseDigest } from '../../../src/oci/digest.ts';
import type { Store } from '../../../src/store/store.ts';
import { chunksOf, collect, collectAll, describeBytes, noise } from '../bytes.ts';

/** One place content is kept. Opening it again is what a restart does. */
export interface Place {
  open(): Promise<Store>;
}

const ctx = silentContext();
const NOWHERE = parseDigest(`sha256:${'0'.repeat(64)}`);

export function blobsSuite(makePlace: () => Promise<Place>): void {
  const openStore = async () => (await makePlace()).open();

  describe('blobs', () => {
    test('read returns what was written, also after a restart', async () => {
      const place = await makePlace();
      const bytes = noise(1_500_000);
      const blob = describeBytes(bytes);

      const chunks = chunksOf(
        bytes.subarray(0, 7),
        bytes.subarray(7, 900_000),
        bytes.subarray(900_000),
      );
      await (await place.open()).blobs.write(ctx, blob, chunks);

      const { blobs } = await place.open();
      expect(await blobs.stat(ctx, blob.digest)).toEqual({ digest: blob.digest, size: blob.size });
      expect((await collect(blobs.read(ctx, blob.digest))).equals(bytes)).toBe(true);
    });

    test.each([
      [{ start: 0, end: 0 }, '0'],
      [{ start: 3, end: 5 }, '345'],
      [{ start: 8, end: 9 }, '89'],
      [{ start: 8, end: 99 }, '89'],
    ])('read gives the range %j', async (range, expected) => {
      const { blobs } = await openStore();
      const blob = describeBytes('0123456789');
      await blobs.write(ctx, blob, chunksOf('0123456789'));

      expect((await collect(blobs.read(ctx, blob.digest, range))).toString()).toBe(expected);
    });

    test('read gives nothing of an empty blob or beyond the end', async () => {
      const { blobs } = await openStore();
      const [empty, short] = [describeBytes(''), describeBytes('short')];
      await blobs.write(ctx, empty, chunksOf());
      await blobs.write(ctx, short, chunksOf('short'));

      const range = { start: 0, end: 0 };
      expect((await collect(blobs.read(ctx, empty.digest, range))).length).toBe(0);
      const beyond = { start: 10, end: 20 };
      expect((await collect(blobs.read(ctx, short.digest, beyond))).length).toBe(0);
    });

    test('write keeps sha512 and empty blobs', async () => {
      const { blobs } = await openStore();
      const long = describeBytes('text', 'text/plain', 'sha512');
      const empty = describeBytes('');

      await blobs.write(ctx, long, chunksOf('text'));
      await blobs.write(ctx, empty, chunksOf());

      expect((await collect(blobs.read(ctx, long.digest))).toString()).toBe('text');
      expect((await collect(blobs.read(ctx, empty.digest))).length).toBe(0);
      expect((await blobs.stat(ctx, empty.digest))?.size).toBe(0);
    });

    test.each([
      ['fewer bytes', 'tex'],
      ['more bytes', 'texts'],
      ['other bytes', 'tEst'],
    ])('write refuses %s and keeps nothing', async (_name, content) => {
      const { blobs, uploads } = await openStore();
      const blob = describeBytes('text');

      const writing = blobs.write(ctx, blob, chunksOf(content));

      await expect(writing).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
      expect(await blobs.stat(ctx, blob.digest)).toBeUndefined();
      expect(await collectAll(blobs.list(ctx))).toEqual([]);
      expect(await collectAll(uploads.list(ctx))).toEqual([]);
    });

    test('write keeps nothing when the source breaks or the run is stopped', async () => {
      const { blobs } = await openStore();
      const blob = describeBytes('text');
      const stop = new AbortController();
      async function* stopping() {
        yield Buffer.from('te');
        stop.abort(new Error('stopped'));
        yield Buffer.from('xt');
      }

      const broken = blobs.write(ctx, blob, chunksOf('te', new Error('cable')));
      await expect(broken).rejects.toThrow('cable');
      const stopped = blobs.write(silentContext({ signal: stop.signal }), blob, stopping());
      await expect(stopped).rejects.toThrow('stopped');

      expect(await blobs.stat(ctx, blob.digest)).toBeUndefined();
    });

    test('write does not read the source when the blob is there', async () => {
      const { blobs } = await openStore();
      const blob = describeBytes('text');
      await blobs.write(ctx, blob, chunksOf('text'));

      await blobs.write(ctx, blob, chunksOf(new Error('read')));
    });

    test('write succeeds for several writers of one blob', async () => {
      const { blobs } = await openStore();
      const bytes = noise(300_000);
      const blob = describeBytes(bytes);

      await Promise.all([1, 2, 3, 4].map(() => blobs.write(ctx, blob, chunksOf(bytes))));

      expect((await collect(blobs.read(ctx, blob.digest))).equals(bytes)).toBe(true);
      expect(await collectAll(blobs.list(ctx))).toHaveLength(1);
    });

    test('list shows every blob with size and time', async () => {
      const { blobs } = await openStore();
      const all = ['one', 'two', 'three'].map((text) => ({ text, blob: describeBytes(text) }));
      for (const { text, blob } of all) await blobs.write(ctx, blob, chunksOf(text));

      const listed = await collectAll(blobs.list(ctx));

      expect(listed.map(({ digest, size }) => ({ digest, size })).toSorted(byDigest)).toEqual(
        all.map(({ blob }) => ({ digest: blob.digest, size: blob.size })).toSorted(byDigest),
      );
      expect(listed.every(({ modifiedAt }) => modifiedAt.getTime() > 1_000_000_000_000)).toBe(true);
    });

    test('remove and touch say whether the blob was there', async () => {
      const { blobs } = await openStore();
      const blob = describeBytes('text');
      await blobs.write(ctx, blob, chunksOf('text'));

      expect(await blobs.touch(ctx, blob.digest)).toBe(true);
      expect(await blobs.remove(ctx, blob.digest)).toBe(true);
      expect(await blobs.remove(ctx, blob.digest)).toBe(false);
      expect(await blobs.touch(ctx, blob.digest)).toBe(false);
      expect(await blobs.stat(ctx, blob.digest)).toBeUndefined();
    });

    test('read of what is not there is CONTENT_MISSING', async () => {
      const { blobs } = await openStore();

      const reading = collect(blobs.read(ctx, NOWHERE));

      await expect(reading).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
    });
  });
}

function byDigest(a: { readonly digest: string }, b: { readonly digest: string }): number {
  return a.digest < b.digest ? -1 : 1;
}
