import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { systemCodeOf } from '../../core/errors.ts';
import { unreadable, unwritable } from '../../core/files.ts';
import { withLock } from '../../core/lock.ts';
import { type Algorithm, type Digest, splitDigest } from '../../oci/digest.ts';
import { mismatch } from '../../oci/verify.ts';
import { isUploadId, uploadPath } from '../layout/paths.ts';
import { unknownUpload } from '../missing.ts';
import type { StoredBlob, Uploads } from '../store.ts';
import { appendFile } from './append-file.ts';
import {
  blobSize,
  publishFile,
  removeIfPresent,
  reuseBlob,
  statIfPresent,
} from './publish-file.ts';
import { readFileChunks } from './read-file.ts';
import { createProgressTable, type ProgressTable, type UploadProgress } from './upload-progress.ts';

/** The digest nearly everybody uses is computed on the way in; any other one from the file. */
const INLINE: Algorithm = 'sha256';
/** A client that comes back after a cut may meet the end of its own first request. */
const BUSY_MS = 1_000;

/** Uploads as files below `ingest/`. Any process may continue what another one began. */
export function diskUploads(root: string): Uploads {
  const table = createProgressTable();
  return {
    begin: (_ctx, id = randomUUID()) => begin(root, id),
    offset: async (_ctx, id) => (await statIfPresent(uploadPath(root, id)))?.size,
    append: (ctx, id, chunks) => locked(ctx, root, id, (path) => append(ctx, table, path, chunks)),
    commit: (ctx, id, digest) => locked(ctx, root, id, (path) => commit(root, table, path, digest)),
    cancel: (ctx, id) =>
      locked(ctx, root, id, async (path) => {
        await table.take(path, undefined);
        return await removeIfPresent(path);
      }),
    list: (ctx) => list(ctx, root),
  };
}

async function locked<T>(
  ctx: Context,
  root: string,
  id: string,
  task: (path: string) => Promise<T>,
): Promise<T> {
  const path = uploadPath(root, id);
  return await withLock(ctx, `${path}.lock`, { waitMs: BUSY_MS }, () => task(path));
}

async function begin(root: string, id: string): Promise<string> {
  const path = uploadPath(root, id);
  try {
    await writeFile(path, '', { flag: 'wx' });
  } catch (error) {
    // There already: it is continued.
    if (systemCodeOf(error) !== 'EEXIST') throw unwritable(path, error);
  }
  return id;
}

async function append(
  ctx: Context,
  table: ProgressTable,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { file, inode, offset, hash } = await resume(table, path);
  let received = offset;
  const take = (chunk: Uint8Array) => {
    ctx.signal.throwIfAborted();
    hash.update(chunk);
    received += chunk.length;
  };
  try {
    return await appendFile(file, offset, chunks, take);
  } catch (error) {
    // On a full disk the part that fitted in would only be in the way.
    if (systemCodeOf(error) === 'ENOSPC') await file.truncate(offset);
    throw unwritable(path, error);
  } finally {
    // After a failed write the file is shorter than this says, and will be read again.
    await table.keep(path, { file, inode, offset: received, hash });
  }
}

/** The file and the hash of what is in it: from memory if nobody wrote since, else by reading. */
async function resume(table: ProgressTable, path: string): Promise<UploadProgress> {
  const status = await statIfPresent(path);
  const known = await table.take(path, status);
  if (known) return known;
  if (!status) throw unknownUpload(basename(path));
  const file = await openUpload(path);
  const hash = await hashFile(path, file, INLINE);
  return { file, inode: status.ino, offset: status.size, hash };
}

const openUpload = (path: string): Promise<FileHandle> =>
  open(path, 'r+').catch((error) => {
    throw unwritable(path, error);
  });

async function hashFile(path: string, file: FileHandle, algorithm: Algorithm): Promise<Hash> {
  const hash = createHash(algorithm);
  const whole = { start: 0, end: Number.MAX_SAFE_INTEGER };
  try {
    for await (const chunk of readFileChunks(file, whole)) hash.update(chunk);
  } catch (error) {
    throw unreadable(path, error);
  }
  return hash;
}

async function commit(
  root: string,
  table: ProgressTable,
  path: string,
  digest: Digest,
): Promise<StoredBlob> {
  const status = await statIfPresent(path);
  const known = await table.take(path, status);
  if (!status) return await committedBefore(root, path, digest);
  const file = known?.file ?? (await openUpload(path));
  try {
    const { algorithm, hex } = splitDigest(digest);
    const inline = algorithm === INLINE ? known?.hash : undefined;
    const hash = inline ?? (await hashFile(path, file, algorithm));
    if (hash.digest('hex') !== hex) return await refuse(path, digest);
    return await publish(root, path, file, { digest, size: status.size });
  } finally {
    // Synced or given up by now: what closing says changes nothing.
    await file.close().catch(() => undefined);
  }
}

async function refuse(path: string, digest: Digest): Promise<never> {
  await removeIfPresent(path);
  throw mismatch({ digest }, 'different bytes');
}

async function publish(
  root: string,
  path: string,
  file: FileHandle,
  blob: StoredBlob,
): Promise<StoredBlob> {
  if (await reuseBlob(root, blob)) await removeIfPresent(path);
  else {
    await syncOrForget(path, file);
    await publishFile(path, root, blob.digest);
  }
  return blob;
}

/** A sync that failed is not told a second time: the next one would succeed without the bytes. */
async function syncOrForget(path: string, file: FileHandle): Promise<void> {
  try {
    await file.datasync();
  } catch (error) {
    await removeIfPresent(path);
    throw unwritable(path, error);
  }
}

async function committedBefore(root: string, path: string, digest: Digest): Promise<StoredBlob> {
  const size = await blobSize(root, digest);
  if (size === undefined) throw unknownUpload(basename(path));
  return { digest, size };
}

async function* list(ctx: Context, root: string): ReturnType<Uploads['list']> {
  const directory = join(root, 'ingest');
  // A layout that another tool made has no such folder.
  const names = await readdir(directory).catch(() => [] as string[]);
  for (const id of names.filter(isUploadId).toSorted()) {
    ctx.signal.throwIfAborted();
    const status = await statIfPresent(join(directory, id));
    if (status?.isFile()) yield { id, idleSince: status.mtime };
  }
}
