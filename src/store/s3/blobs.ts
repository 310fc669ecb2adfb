import { collect } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest, splitDigest } from '../../oci/digest.ts';
import { verified } from '../../oci/verify.ts';
import { missing } from '../missing.ts';
import { type Blobs, type ByteRange, SHORTEST_GRACE_MS } from '../store.ts';
import type { Bucket } from './bucket.ts';
import { MAX_PARTS, sendInParts } from './multipart.ts';
import { inPieces } from './pieces.ts';

//   blobs/<algorithm>/<hex>      complete and verified, or absent
//   touched/<algorithm>/<hex>    empty; its time counts as the blob's own if it is later

const FRESH_MS = SHORTEST_GRACE_MS / 2;
/** How long what was read about touched blobs is good for. */
const TOUCHED_MS = 5_000;

export function blobKey(digest: Digest): string {
  const { algorithm, hex } = splitDigest(digest);
  return `blobs/${algorithm}/${hex}`;
}

const touchKey = (digest: Digest): string => blobKey(digest).replace('blobs/', 'touched/');

/** Blobs as objects of a bucket. */
export function s3Blobs(bucket: Bucket, partBytes: number): Blobs {
  return {
    async stat(ctx, digest) {
      const found = await bucket.head(ctx, blobKey(digest));
      return found && { digest, size: found.size };
    },
    read: (ctx, digest, range) => read(ctx, bucket, digest, range),
    async write(ctx, expected, chunks) {
      if ((await touch(ctx, bucket, expected.digest)) === expected.size) return;
      await writeBlob(ctx, bucket, { expected, partBytes }, chunks);
    },
    async remove(ctx, digest, untouchedSince) {
      const found = await bucket.head(ctx, blobKey(digest));
      if (untouchedSince && found) {
        const touched = await bucket.head(ctx, touchKey(digest));
        const isYoung = (one: typeof found) => one.modifiedAt >= untouchedSince;
        if (isYoung(found) || (touched && isYoung(touched))) return false;
      }
      await bucket.remove(ctx, [blobKey(digest), touchKey(digest)]);
      return found !== undefined;
    },
    touch: async (ctx, digest) => (await touch(ctx, bucket, digest)) !== undefined,
    list: (ctx) => list(ctx, bucket),
  };
}

async function* read(
  ctx: Context,
  bucket: Bucket,
  digest: Digest,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const chunks = await bucket.get(ctx, blobKey(digest), range);
  if (!chunks) throw missing(digest);
  yield* stoppable(ctx, chunks);
}

export interface BlobWrite {
  readonly expected: Descriptor;
  readonly partBytes: number;
}

/** The object appears when its last byte has been compared with the digest, and not before. */
export async function writeBlob(
  ctx: Context,
  bucket: Bucket,
  { expected, partBytes }: BlobWrite,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const key = blobKey(expected.digest);
  const pieceBytes = Math.max(partBytes, Math.ceil(expected.size / (MAX_PARTS - 1)));
  const pieces = inPieces(verified(expected, chunks), pieceBytes);
  if (expected.size >= pieceBytes) {
    await sendInParts(ctx, bucket, key, stoppable(ctx, pieces));
  } else {
    await bucket.put(ctx, key, await collect(stoppable(ctx, pieces)));
  }
  await requireThere(ctx, bucket, expected);
}

/** Looks for what the bucket has just acknowledged: from now on others rely on it. */
export async function requireThere(
  ctx: Context,
  bucket: Bucket,
  { digest, size }: Pick<Descriptor, 'digest' | 'size'>,
): Promise<void> {
  const found = await bucket.head(ctx, blobKey(digest));
  if (found?.size === size) return;
  const object = `s3://${bucket.bucket}/${bucket.prefix}${blobKey(digest)}`;
  const seen = found ? `${found.size} of ${size} bytes are there` : 'it is not there';
  throw new AtollError(
    'BUCKET_UNAVAILABLE',
    `Cannot write "${object}": acknowledged, but ${seen}`,
    {
      hint: 'Try again; if it repeats, the bucket loses what it takes',
      details: { bucket: bucket.bucket },
    },
  );
}

async function* stoppable(
  ctx: Context,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    ctx.signal.throwIfAborted();
    yield chunk;
  }
}

/** Makes the blob young again, unless it is; its size, or undefined when there is none. */
async function touch(ctx: Context, bucket: Bucket, digest: Digest): Promise<number | undefined> {
  const found = await bucket.head(ctx, blobKey(digest));
  if (!found) return undefined;
  if (ctx.now().getTime() - found.modifiedAt.getTime() > FRESH_MS) {
    await bucket.put(ctx, touchKey(digest), new Uint8Array(0));
  }
  return found.size;
}

async function* list(ctx: Context, bucket: Bucket): ReturnType<Blobs['list']> {
  let touched = await readTouched(ctx, bucket);
  for await (const { key, size, modifiedAt } of bucket.list(ctx, 'blobs/')) {
    // A collection of garbage takes its time between two blobs; meanwhile some become young.
    if (ctx.now().getTime() - touched.readAt > TOUCHED_MS) touched = await readTouched(ctx, bucket);
    const digest = key.slice('blobs/'.length).replace('/', ':');
    const time = Math.max(modifiedAt.getTime(), touched.times.get(key) ?? 0);
    if (isDigest(digest)) yield { digest, size, modifiedAt: new Date(time) };
  }
}

interface Touched {
  readonly readAt: number;
  readonly times: ReadonlyMap<string, number>;
}

async function readTouched(ctx: Context, bucket: Bucket): Promise<Touched> {
  const readAt = ctx.now().getTime();
  const times = new Map<string, number>();
  for await (const { key, modifiedAt } of bucket.list(ctx, 'touched/')) {
    times.set(key.replace('touched/', 'blobs/'), modifiedAt.getTime());
  }
  return { readAt, times };
}
