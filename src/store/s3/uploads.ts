import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';
import { mismatch } from '../../oci/verify.ts';
import { requireUploadId } from '../layout/paths.ts';
import { unknownUpload } from '../missing.ts';
import type { StoredBlob, Uploads } from '../store.ts';
import { blobKey, requireThere, writeBlob } from './blobs.ts';
import type { Bucket, StoredObject } from './bucket.ts';
import { joinObjects } from './multipart.ts';
import { inPieces } from './pieces.ts';
import {
  areCopyable,
  begunKey,
  listUploads,
  partKey,
  partsOf,
  readParts,
  removeUpload,
  sizeOf,
} from './upload-parts.ts';

const MAX_HASHES = 1024;

/** What this process has received itself, object by object, and the hash of it. */
interface Progress {
  readonly hash: Hash;
  readonly etags: readonly string[];
}

/** Uploads as rows of objects. Any process may continue what another one began. */
export function s3Uploads(bucket: Bucket, partBytes: number): Uploads {
  const progress = new Map<string, Progress>();
  const busy = new Set<string>();
  return {
    async begin(ctx, id = randomUUID()) {
      const key = begunKey(id);
      if (!(await bucket.head(ctx, key))) await bucket.put(ctx, key, new Uint8Array(0));
      return id;
    },
    async offset(ctx, id) {
      const parts = await partsOf(ctx, bucket, id);
      return parts && sizeOf(parts);
    },
    append: (ctx, id, chunks) =>
      alone(busy, id, () => append(ctx, bucket, { id, progress, partBytes }, chunks)),
    commit: (ctx, id, digest) =>
      alone(busy, id, async () => {
        const known = progress.get(id);
        progress.delete(id);
        return await commit(ctx, bucket, { id, digest, known, partBytes });
      }),
    cancel: (ctx, id) =>
      alone(busy, id, async () => {
        progress.delete(id);
        return await removeUpload(ctx, bucket, id);
      }),
    list: (ctx) => listUploads(ctx, bucket),
  };
}

/** Two writers in one process would mix their bytes; those of two processes are told apart later. */
async function alone<T>(busy: Set<string>, id: string, task: () => Promise<T>): Promise<T> {
  requireUploadId(id);
  if (busy.has(id)) throw new AtollError('LOCKED', `Cannot use the upload "${id}": it is in use`);
  busy.add(id);
  try {
    return await task();
  } finally {
    busy.delete(id);
  }
}

interface Append {
  readonly id: string;
  readonly progress: Map<string, Progress>;
  readonly partBytes: number;
}

async function append(
  ctx: Context,
  bucket: Bucket,
  { id, progress, partBytes }: Append,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  const parts = await partsOf(ctx, bucket, id);
  if (!parts) throw unknownUpload(id);
  // Only a hash of all that is there is worth continuing; else the commit reads everything.
  const known = parts.length === 0 ? fresh() : matching(progress.get(id), parts);
  progress.delete(id);
  const etags = [...(known?.etags ?? [])];
  let offset = sizeOf(parts);
  try {
    for await (const piece of inPieces(chunks, partBytes)) {
      ctx.signal.throwIfAborted();
      etags.push(await bucket.put(ctx, partKey(id, offset), piece));
      known?.hash.update(piece);
      offset += piece.length;
    }
  } finally {
    if (known) remember(progress, id, { hash: known.hash, etags });
  }
  return offset;
}

const fresh = (): Progress => ({ hash: createHash('sha256'), etags: [] });

function matching(
  known: Progress | undefined,
  parts: readonly StoredObject[],
): Progress | undefined {
  const same = known?.etags.length === parts.length;
  return same && parts.every(({ etag }, index) => etag === known.etags[index]) ? known : undefined;
}

function remember(progress: Map<string, Progress>, id: string, state: Progress): void {
  progress.set(id, state);
  const oldest = progress.keys().next().value;
  if (progress.size > MAX_HASHES && oldest !== undefined) progress.delete(oldest);
}

interface Commit {
  readonly id: string;
  readonly digest: Digest;
  readonly known: Progress | undefined;
  readonly partBytes: number;
}

async function commit(ctx: Context, bucket: Bucket, work: Commit): Promise<StoredBlob> {
  const { id, digest, known, partBytes } = work;
  const parts = await partsOf(ctx, bucket, id);
  if (!parts) return await committedBefore(ctx, bucket, id, digest);
  const size = sizeOf(parts);
  try {
    if (!(await joinParts(ctx, bucket, matching(known, parts), parts, digest))) {
      const expected = { mediaType: 'application/octet-stream', digest, size };
      await writeBlob(ctx, bucket, { expected, partBytes }, readParts(ctx, bucket, parts));
    }
  } catch (error) {
    const wrong = error instanceof AtollError && error.code === 'CONTENT_MISMATCH';
    if (wrong) await removeUpload(ctx, bucket, id);
    throw error;
  }
  await removeUpload(ctx, bucket, id);
  return { digest, size };
}

/** False when the bytes have to be read again: the hash is not of these parts, or they cannot be joined. */
async function joinParts(
  ctx: Context,
  bucket: Bucket,
  known: Progress | undefined,
  parts: readonly StoredObject[],
  digest: Digest,
): Promise<boolean> {
  const { algorithm, hex } = splitDigest(digest);
  if (!known || algorithm !== 'sha256' || !areCopyable(parts)) return false;
  if (known.hash.digest('hex') !== hex) throw mismatch({ digest }, 'different bytes');
  if (!(await joinObjects(ctx, bucket, blobKey(digest), parts))) return false;
  await requireThere(ctx, bucket, { digest, size: sizeOf(parts) });
  return true;
}

async function committedBefore(
  ctx: Context,
  bucket: Bucket,
  id: string,
  digest: Digest,
): Promise<StoredBlob> {
  const found = await bucket.head(ctx, blobKey(digest));
  if (!found) throw unknownUpload(id);
  return { digest, size: found.size };
}
