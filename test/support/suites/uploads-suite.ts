import { describe, expect, test } from 'vitest';
import { silentContext } from '../../../src/core/context.ts';
import { uploadIdOf } from '../../../src/store/store.ts';
import { chunksOf, collect, collectAll, describeBytes, noise } from '../bytes.ts';
import type { Place } from './blobs-suite.ts';

const ctx = silentContext();

export function uploadsSuite(makePlace: () => Promise<Place>): void {
  const openStore = async () => (await makePlace()).open();

  describe('uploads', () => {
    test('commit turns the parts into a blob', async () => {
      const { blobs, uploads } = await openStore();
      const bytes = noise(700_000);
      const { digest, size } = describeBytes(bytes);
      const id = await uploads.begin(ctx);

      expect(await uploads.offset(ctx, id)).toBe(0);
      expect(await uploads.append(ctx, id, chunksOf(bytes.subarray(0, 10)))).toBe(10);
      expect(await uploads.append(ctx, id, chunksOf(bytes.subarray(10)))).toBe(size);
      expect(await uploads.offset(ctx, id)).toBe(size);
      expect(await blobs.stat(ctx, digest)).toBeUndefined();
      expect(await uploads.commit(ctx, id, digest)).toEqual({ digest, size });

      expect((await collect(blobs.read(ctx, digest))).equals(bytes)).toBe(true);
      expect(await uploads.offset(ctx, id)).toBeUndefined();
      expect(await collectAll(uploads.list(ctx))).toEqual([]);
    });

    test('append continues after a restart', async () => {
      const place = await makePlace();
      const bytes = noise(400_000);
      const { digest, size } = describeBytes(bytes);
      const first = await place.open();
      const id = await first.uploads.begin(ctx);
      await first.uploads.append(ctx, id, chunksOf(bytes.subarray(0, 123_457)));

      const { blobs, uploads } = await place.open();
      expect(await uploads.offset(ctx, id)).toBe(123_457);
      await uploads.append(ctx, id, chunksOf(bytes.subarray(123_457)));

      expect(await uploads.commit(ctx, id, digest)).toEqual({ digest, size });
      expect((await collect(blobs.read(ctx, digest))).equals(bytes)).toBe(true);
    });

    test('commit works in another process than the parts came to', async () => {
      const place = await makePlace();
      const { digest } = describeBytes('text');
      const first = await place.open();
      const id = await first.uploads.begin(ctx);
      await first.uploads.append(ctx, id, chunksOf('text'));

      const { blobs, uploads } = await place.open();
      await uploads.commit(ctx, id, digest);

      expect((await collect(blobs.read(ctx, digest))).toString()).toBe('text');
    });

    test('append by turns from two processes stays right', async () => {
      const place = await makePlace();
      const [one, two] = [await place.open(), await place.open()];
      const { digest } = describeBytes('abcdef');
      const id = await one.uploads.begin(ctx);

      await one.uploads.append(ctx, id, chunksOf('ab'));
      await two.uploads.append(ctx, id, chunksOf('cd'));
      await one.uploads.append(ctx, id, chunksOf('ef'));

      expect(await two.uploads.commit(ctx, id, digest)).toMatchObject({ size: 6 });
    });

    test('append keeps what came before a cut', async () => {
      const { blobs, uploads } = await openStore();
      const { digest } = describeBytes('abcdef');
      const id = await uploads.begin(ctx);

      const cut = uploads.append(ctx, id, chunksOf('ab', 'cd', new Error('cable')));
      await expect(cut).rejects.toThrow('cable');

      expect(await uploads.offset(ctx, id)).toBe(4);
      await uploads.append(ctx, id, chunksOf('ef'));
      await uploads.commit(ctx, id, digest);
      expect((await collect(blobs.read(ctx, digest))).toString()).toBe('abcdef');
    });

    test('commit refuses other bytes and forgets the upload', async () => {
      const { blobs, uploads } = await openStore();
      const { digest } = describeBytes('text');
      const id = await uploads.begin(ctx);
      await uploads.append(ctx, id, chunksOf('tExt'));

      const committing = uploads.commit(ctx, id, digest);

      await expect(committing).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
      expect(await blobs.stat(ctx, digest)).toBeUndefined();
      expect(await uploads.offset(ctx, id)).toBeUndefined();
    });

    test('commit takes sha512, which only it names', async () => {
      const { blobs, uploads } = await openStore();
      const { digest } = describeBytes('text', 'text/plain', 'sha512');
      const id = await uploads.begin(ctx);
      await uploads.append(ctx, id, chunksOf('te', 'xt'));

      await uploads.commit(ctx, id, digest);

      expect((await collect(blobs.read(ctx, digest))).toString()).toBe('text');
    });

    test('commit of an upload without bytes is the empty blob', async () => {
      const { blobs, uploads } = await openStore();
      const { digest } = describeBytes('');
      const id = await uploads.begin(ctx);

      await uploads.commit(ctx, id, digest);

      expect((await blobs.stat(ctx, digest))?.size).toBe(0);
    });

    test('commit is harmless a second time, and for a blob that is there', async () => {
      const { uploads } = await openStore();
      const { digest, size } = describeBytes('text');
      const ids = [await uploads.begin(ctx), await uploads.begin(ctx)];
      for (const id of ids) await uploads.append(ctx, id, chunksOf('text'));

      const results = await Promise.all(ids.map((id) => uploads.commit(ctx, id, digest)));
      const again = await uploads.commit(ctx, ids[0] ?? '', digest);

      expect([...results, again]).toEqual(Array(3).fill({ digest, size }));
      expect(await collectAll(uploads.list(ctx))).toEqual([]);
    });

    test('begin with the id of a digest continues that download', async () => {
      const place = await makePlace();
      const { digest } = describeBytes('abcdef');
      const first = await place.open();
      await first.uploads.begin(ctx, uploadIdOf(digest));
      await first.uploads.append(ctx, uploadIdOf(digest), chunksOf('abc'));

      const { uploads } = await place.open();
      const id = await uploads.begin(ctx, uploadIdOf(digest));

      expect(await uploads.offset(ctx, id)).toBe(3);
      await uploads.append(ctx, id, chunksOf('def'));
      expect(await uploads.commit(ctx, id, digest)).toMatchObject({ size: 6 });
    });

    test('cancel and list say what is there', async () => {
      const { uploads } = await openStore();
      const id = await uploads.begin(ctx);
      await uploads.append(ctx, id, chunksOf('text'));

      const listed = await collectAll(uploads.list(ctx));
      expect(listed.map((upload) => upload.id)).toEqual([id]);
      expect(listed[0]?.idleSince.getTime()).toBeGreaterThan(1_000_000_000_000);

      expect(await uploads.cancel(ctx, id)).toBe(true);
      expect(await uploads.cancel(ctx, id)).toBe(false);
      expect(await collectAll(uploads.list(ctx))).toEqual([]);
    });

    test('append and commit of an unknown upload are CONTENT_MISSING', async () => {
      const { uploads } = await openStore();
      const { digest } = describeBytes('text');

      const unknown = { code: 'CONTENT_MISSING' };
      await expect(uploads.append(ctx, 'nobody', chunksOf('x'))).rejects.toMatchObject(unknown);
      await expect(uploads.commit(ctx, 'nobody', digest)).rejects.toMatchObject(unknown);
      expect(await uploads.offset(ctx, 'nobody')).toBeUndefined();
    });

    test.each(['', '.', '..', '../index', '../../etc/passwd', 'a/b', 'a\0b', 'a.tmp', '%2e%2e'])(
      'begin, offset and append refuse the id %j',
      async (id) => {
        const { uploads } = await openStore();

        const refused = { code: 'INPUT_INVALID' };
        await expect(uploads.begin(ctx, id)).rejects.toMatchObject(refused);
        await expect(uploads.offset(ctx, id)).rejects.toMatchObject(refused);
        await expect(uploads.append(ctx, id, chunksOf('x'))).rejects.toMatchObject(refused);
        await expect(uploads.cancel(ctx, id)).rejects.toMatchObject(refused);
      },
    );
  });
}
