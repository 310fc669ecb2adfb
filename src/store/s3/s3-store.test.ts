import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { chunksOf, collect, describeBytes, noise } from '../../../test/support/bytes.ts';
import { describeWithPeers } from '../../../test/support/peers.ts';
import {
  createBucket,
  S3_CREDENTIALS as credentials,
  S3_SERVERS,
  type S3Server,
  s3Client,
} from '../../../test/support/s3-servers.ts';
import { storeSuite } from '../../../test/support/suites/store-suite.ts';
import { silentContext } from '../../core/context.ts';
import { uploadIdOf } from '../store.ts';
import { checkStore } from '../upkeep/check.ts';
import { collectGarbage } from '../upkeep/gc.ts';
import { allRoots, recordRoots } from '../upkeep/roots.ts';
import { blobKey } from './blobs.ts';
import { openBucket } from './bucket.ts';
import { openS3Store, type S3Store } from './s3-store.ts';
import { partKey } from './upload-parts.ts';
import { s3Uploads } from './uploads.ts';

const ctx = silentContext();
const tomorrow = silentContext({ now: () => new Date(Date.now() + 86_400_000) });
const BUCKET = 'mirror';

for (const { peer, objectsAreFiles, start } of S3_SERVERS) {
  describeWithPeers([peer], `s3Store of ${peer}`, () => {
    let server: S3Server;
    let client: S3Client;
    let places = 0;

    beforeAll(async () => {
      server = await start();
      client = newClient();
      await createBucket(server.url, BUCKET);
    });
    afterAll(async () => {
      client?.destroy();
      await server?.stop();
    });

    const newClient = () => s3Client(server.url);

    const openAt = (prefix: string): S3Store =>
      openS3Store({
        bucket: BUCKET,
        prefix,
        endpoint: server.url,
        credentials,
        partBytes: 5 * 1024 * 1024,
      });

    function nextPlace(): string {
      places += 1;
      return `place-${places}`;
    }

    const makePlace = async () => {
      const prefix = nextPlace();
      return { open: async () => openAt(prefix) };
    };
    storeSuite('in a bucket', makePlace, objectsAreFiles);

    test('write sends a large blob in parts, and none when it is damaged', async () => {
      const { blobs } = openAt(nextPlace());
      const bytes = noise(12 * 1024 * 1024);
      const blob = describeBytes(bytes);

      const damaged = blobs.write(
        ctx,
        blob,
        chunksOf(bytes.subarray(0, 11_000_000), Buffer.alloc(1_582_912)),
      );
      await expect(damaged).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
      expect(await blobs.stat(ctx, blob.digest)).toBeUndefined();

      await blobs.write(ctx, blob, chunksOf(bytes));
      expect((await collect(blobs.read(ctx, blob.digest))).equals(bytes)).toBe(true);
    });

    test('commit joins large parts inside the store', async () => {
      const { blobs, uploads } = openAt(nextPlace());
      const bytes = noise(11 * 1024 * 1024);
      const { digest, size } = describeBytes(bytes);
      const id = await uploads.begin(ctx, uploadIdOf(digest));

      await uploads.append(ctx, id, chunksOf(bytes));

      expect(await uploads.commit(ctx, id, digest)).toEqual({ digest, size });
      expect((await collect(blobs.read(ctx, digest))).equals(bytes)).toBe(true);
    });

    test('presign lets anybody fetch a blob', async () => {
      const store = openAt(nextPlace());
      const blob = describeBytes('text');
      await store.blobs.write(ctx, blob, chunksOf('text'));

      const response = await fetch(await store.presign(ctx, blob.digest, 60));

      expect(response.status).toBe(200);
      expect(await response.text()).toBe('text');
    });

    test('collectGarbage and checkStore work in a bucket as on a disk', async () => {
      const store = openAt(nextPlace());
      const [kept, lost] = [describeBytes('kept'), describeBytes('lost')];
      await store.blobs.write(ctx, kept, chunksOf('kept'));
      await store.blobs.write(ctx, lost, chunksOf('lost'));
      await store.records.put(ctx, 'tags/v1', { digest: kept.digest });

      const report = await collectGarbage(tomorrow, store, {
        roots: recordRoots(ctx, store.records),
      });

      expect(report).toMatchObject({ removedBlobs: 1, freedBytes: 4, keptBlobs: 1 });
      expect(await store.blobs.stat(ctx, kept.digest)).toBeDefined();
      const checked = await checkStore(ctx, store, { roots: recordRoots(ctx, store.records) });
      expect(checked).toMatchObject({ blobs: 1, problems: [] });
    });

    test('collectGarbage leaves a blob alone that is just being sent in parts', async () => {
      const store = openAt(nextPlace());
      const bytes = noise(16 * 1024 * 1024);
      const blob = describeBytes(bytes);
      async function* withCollection() {
        yield bytes.subarray(0, 15 * 1024 * 1024);
        // The last part waits for the next bytes; of the others at least one has arrived.
        await collectGarbage(ctx, store, { roots: recordRoots(ctx, store.records) });
        yield bytes.subarray(15 * 1024 * 1024);
      }

      await store.blobs.write(ctx, blob, withCollection());

      expect((await collect(store.blobs.read(ctx, blob.digest))).equals(bytes)).toBe(true);
    });

    test('collectGarbage gives up parts that nobody continues, but only those of the store', async () => {
      const prefix = nextPlace();
      const others = [`${prefix}/other/blobs/x`, `${prefix}-other/blobs/x`];
      for (const Key of [...others, `${prefix}/blobs/sha256/x`]) {
        await client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key }));
      }

      const report = await collectGarbage(tomorrow, openAt(prefix), { roots: allRoots() });

      expect(report.removedTemporary).toBe(1);
      const listed = await client.send(
        new ListMultipartUploadsCommand({ Bucket: BUCKET, Prefix: prefix }),
      );
      expect(listed.Uploads?.map(({ Key }) => Key).toSorted()).toEqual(others.toSorted());
    });

    test.each([4, 11 * 1024 * 1024])(
      'commit of %i bytes makes no blob of parts that somebody else has just replaced',
      async (size) => {
        const prefix = `${nextPlace()}/`;
        const own = newClient();
        onTestFinished(() => own.destroy());
        const bucket = openBucket({ client: own, bucket: BUCKET, prefix });
        const uploads = s3Uploads(bucket, 5 * 1024 * 1024);
        const bytes = noise(size);
        const { digest } = describeBytes(bytes);
        const id = await uploads.begin(ctx);
        await uploads.append(ctx, id, chunksOf(bytes));
        const Key = `${prefix}${partKey(id, 0)}`;
        own.middlewareStack.add(
          (next, { commandName }) =>
            async (args) => {
              if (commandName?.includes('Copy')) {
                await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'other' }));
              }
              return await next(args);
            },
          { step: 'initialize' },
        );

        await expect(uploads.commit(ctx, id, digest)).rejects.toMatchObject({
          code: 'CONTENT_MISMATCH',
        });

        expect(await bucket.head(ctx, blobKey(digest))).toBeUndefined();
      },
    );

    test('an upload goes on where another writer left a part that does not fit', async () => {
      const prefix = nextPlace();
      const { blobs, uploads } = openAt(prefix);
      const { digest, size } = describeBytes('abcdef');
      const id = await uploads.begin(ctx, uploadIdOf(digest));
      await uploads.append(ctx, id, chunksOf('abc'));
      const Key = `${prefix}/ingest/${id}/0000000000000002`;
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'xyz' }));

      expect(await uploads.offset(ctx, id)).toBe(3);
      await uploads.append(ctx, id, chunksOf('def'));

      expect(await uploads.commit(ctx, id, digest)).toEqual({ digest, size });
      expect((await collect(blobs.read(ctx, digest))).toString()).toBe('abcdef');
    });

    test('a bucket that is not there is BUCKET_REFUSED, without the secret', async () => {
      const store = openS3Store({ bucket: 'nobody', endpoint: server.url, credentials });

      const writing = store.records.put(ctx, 'a', 1);

      await expect(writing).rejects.toMatchObject({ code: 'BUCKET_REFUSED' });
      await expect(writing).rejects.not.toThrow('test-secret');
    });
  });
}
