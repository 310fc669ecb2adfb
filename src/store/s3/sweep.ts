import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type MultipartUpload,
  type Part,
} from '@aws-sdk/client-s3';
import type { Context } from '../../core/context.ts';
import type { Swept } from '../store.ts';
import { type Bucket, named } from './bucket.ts';

/** Gives up what was begun in parts and never completed: nobody sees it, but it costs room. */
export async function sweepBucket(ctx: Context, bucket: Bucket, before: Date): Promise<Swept> {
  let files = 0;
  for await (const upload of unfinished(ctx, bucket)) {
    if (await giveUpIfIdle(ctx, bucket, upload, before)) files += 1;
  }
  return { files, bytes: 0 };
}

async function giveUpIfIdle(
  ctx: Context,
  bucket: Bucket,
  upload: MultipartUpload,
  before: Date,
): Promise<boolean> {
  const { Key = '', UploadId } = upload;
  const abort = new AbortMultipartUploadCommand({ Bucket: bucket.bucket, Key, UploadId });
  return await named(bucket, Key.slice(bucket.prefix.length), async () => {
    try {
      if (!(await isIdle(ctx, bucket, upload, before))) return false;
      await bucket.client.send(abort, { abortSignal: ctx.signal });
      return true;
    } catch (error) {
      // Completed since it was listed.
      if ((error as Error).name === 'NoSuchUpload') return false;
      throw error;
    }
  });
}

async function* unfinished(ctx: Context, bucket: Bucket): AsyncGenerator<MultipartUpload> {
  // Only blobs are written in parts; what else is in the bucket belongs to others.
  const Prefix = `${bucket.prefix}blobs/`;
  const place = { Bucket: bucket.bucket, Prefix };
  let page: ListMultipartUploadsCommandOutput | undefined;
  do {
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
      ...place,
      KeyMarker: page?.NextKeyMarker,
      UploadIdMarker: page?.NextUploadIdMarker,
    });
    page = await named(bucket, 'blobs/', () =>
      bucket.client.send(command, { abortSignal: ctx.signal }),
    );
    yield* page.Uploads ?? [];
  } while (page.IsTruncated);
}

/** Nothing has come for it since then: a large blob on a slow line may have begun long ago. */
async function isIdle(
  ctx: Context,
  bucket: Bucket,
  { Key, UploadId, Initiated }: MultipartUpload,
  before: Date,
): Promise<boolean> {
  if (!Initiated || Initiated >= before) return false;
  for await (const { LastModified } of partsOf(ctx, bucket, { Key, UploadId })) {
    if (LastModified && LastModified >= before) return false;
  }
  return true;
}

async function* partsOf(
  ctx: Context,
  bucket: Bucket,
  upload: Pick<MultipartUpload, 'Key' | 'UploadId'>,
): AsyncGenerator<Part> {
  const place = { Bucket: bucket.bucket, Key: upload.Key, UploadId: upload.UploadId };
  let page: ListPartsCommandOutput | undefined;
  do {
    const PartNumberMarker = page?.NextPartNumberMarker;
    const command: ListPartsCommand = new ListPartsCommand({ ...place, PartNumberMarker });
    page = await bucket.client.send(command, { abortSignal: ctx.signal });
    yield* page.Parts ?? [];
  } while (page.IsTruncated);
}
