import type { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { chunksOf, collectAll, describeBytes } from '../../../test/support/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { blobKey, s3Blobs } from './blobs.ts';
import type { Bucket, StoredObject } from './bucket.ts';

const OLD = new Date('2024-01-01T00:00:00Z');
const NOW = new Date('2024-06-01T00:00:00Z');
const ctx = silentContext({ now: () => NOW });
const blob = describeBytes('text');

/** A bucket that only remembers, with a clock of ours. */
function bucketWith(objects: Map<string, StoredObject>): Bucket {
  return {
    client: {} as S3Client,
    bucket: 'b',
    prefix: '',
    head: async (_ctx, key) => objects.get(key),
    get: async () => undefined,
    async put(_ctx, key, { length }) {
      objects.set(key, { key, size: length, etag: '', modifiedAt: NOW });
      return '';
    },
    async remove(_ctx, keys) {
      for (const key of keys) objects.delete(key);
    },
    async *list(_ctx, prefix) {
      yield* [...objects.values()].filter(({ key }) => key.startsWith(prefix));
    },
  };
}

function oldBlob(): Map<string, StoredObject> {
  const key = blobKey(blob.digest);
  return new Map([[key, { key, size: blob.size, etag: '', modifiedAt: OLD }]]);
}

test('touch makes an old blob young, and remove forgets that', async () => {
  const objects = oldBlob();
  const blobs = s3Blobs(bucketWith(objects), 1);

  expect(await collectAll(blobs.list(ctx))).toMatchObject([{ modifiedAt: OLD }]);
  expect(await blobs.touch(ctx, blob.digest)).toBe(true);

  expect(await collectAll(blobs.list(ctx))).toMatchObject([{ modifiedAt: NOW, size: 4 }]);
  expect(await blobs.remove(ctx, blob.digest)).toBe(true);
  expect(objects.size).toBe(0);
});

test('write of a blob that is there makes it young', async () => {
  const blobs = s3Blobs(bucketWith(oldBlob()), 1);

  await blobs.write(ctx, blob, chunksOf(new Error('read')));

  expect(await collectAll(blobs.list(ctx))).toMatchObject([{ modifiedAt: NOW }]);
});
