import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { Context } from '../../core/context.ts';
import { silentContext } from '../../core/context.ts';
import { mapBounded } from '../../core/pool.ts';
import {
  type Bucket,
  copySource,
  isOtherSource,
  named,
  requireTag,
  type StoredObject,
} from './bucket.ts';

/** No part but the last may be smaller: the rule of every object store. */
export const MIN_PART_BYTES = 5 * 1024 * 1024;
/** The most parts one object may have. */
export const MAX_PARTS = 10_000;
/** Parts of one object that are under way at once. */
const SENDERS = 2;

interface Part {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

/** An object that is being put together. Nobody sees it before `complete`. */
interface Multipart {
  send(part: number, Body: Uint8Array): Promise<Part>;
  /** Undefined when the source is no longer the one that was listed. */
  copy(part: number, from: StoredObject): Promise<Part | undefined>;
  complete(parts: readonly Part[]): Promise<void>;
}

/** Sends chunks as the parts of one object. When the chunks fail, there is no object. */
export async function sendInParts(
  ctx: Context,
  bucket: Bucket,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  await assemble(ctx, bucket, key, async (multipart) => {
    const parts: Promise<Part>[] = [];
    try {
      for await (const chunk of chunks) {
        const part = multipart.send(parts.length + 1, chunk);
        part.catch(() => undefined);
        parts.push(part);
        await parts[parts.length - SENDERS];
      }
      return await Promise.all(parts);
    } finally {
      // A part that arrives after its upload was given up would stay for ever.
      await Promise.allSettled(parts);
    }
  });
}

/**
 * Makes one object of others, without moving their bytes through here. False when one of them has
 * changed since it was listed: then there is no object.
 */
export async function joinObjects(
  ctx: Context,
  bucket: Bucket,
  key: string,
  from: readonly StoredObject[],
): Promise<boolean> {
  return await assemble(ctx, bucket, key, async (multipart) => {
    const copy = (source: StoredObject, index: number) => multipart.copy(index + 1, source);
    const parts = await mapBounded(ctx, SENDERS * 2, from, copy);
    return parts.every((part) => part !== undefined) ? parts : undefined;
  });
}

/** False when `makeParts` gives none: then all that was sent is given up. */
async function assemble(
  ctx: Context,
  bucket: Bucket,
  key: string,
  makeParts: (multipart: Multipart) => Promise<readonly Part[] | undefined>,
): Promise<boolean> {
  const target = { Bucket: bucket.bucket, Key: `${bucket.prefix}${key}` };
  const begun = await named(bucket, key, () =>
    bucket.client.send(new CreateMultipartUploadCommand(target), { abortSignal: ctx.signal }),
  );
  const upload = { ...target, UploadId: begun.UploadId };
  const multipart = multipartOf(ctx, bucket, key, upload);
  let completed = false;
  try {
    const parts = await makeParts(multipart);
    if (parts) await multipart.complete(parts);
    completed = parts !== undefined;
  } finally {
    if (!completed) await giveUp(bucket, upload);
  }
  return completed;
}

/** Also when the run was stopped: parts of an unfinished upload cost money. */
async function giveUp(bucket: Bucket, upload: UploadName): Promise<void> {
  await bucket.client
    .send(new AbortMultipartUploadCommand(upload), { abortSignal: silentContext().signal })
    .catch(() => undefined);
}

interface UploadName {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

function undefinedIfOther(error: unknown): undefined {
  if (!isOtherSource(error)) throw error;
}

function multipartOf(ctx: Context, bucket: Bucket, key: string, upload: UploadName): Multipart {
  const options = { abortSignal: ctx.signal };
  const { client } = bucket;
  return {
    async send(PartNumber, Body) {
      const size = { ContentLength: Body.length };
      const command = new UploadPartCommand({ ...upload, PartNumber, Body, ...size });
      const { ETag } = await named(bucket, key, () => client.send(command, options));
      return { PartNumber, ETag: requireTag(bucket, key, ETag) };
    },
    async copy(PartNumber, from) {
      const source = copySource(bucket, from);
      const command = new UploadPartCopyCommand({ ...upload, PartNumber, ...source });
      const done = await named(bucket, key, () =>
        client.send(command, options).catch(undefinedIfOther),
      );
      if (!done) return undefined;
      const ETag = done.CopyPartResult?.ETag;
      // Not all object stores heed the condition. Under a key of its own AWS does, and tags differ.
      const isTagged = !done.ServerSideEncryption?.startsWith('aws:kms');
      return isTagged && ETag !== from.etag ? undefined : { PartNumber, ETag };
    },
    async complete(Parts) {
      const command = new CompleteMultipartUploadCommand({
        ...upload,
        MultipartUpload: { Parts: [...Parts] },
      });
      await named(bucket, key, () => client.send(command, options));
    },
  };
}
