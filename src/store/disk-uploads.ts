import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import { unwritable } from '../core/files.ts';
import { type Algorithm, type Digest, splitDigest } from '../oci/digest.ts';
import { mismatch } from '../oci/verify.ts';
import { appendFile } from './append-file.ts';
import { withFileLock } from './file-lock.ts';
import { isUploadId, uploadPath } from './layout-paths.ts';
import { blobSize, publishFile, removeIfPresent, reuseBlob, syncData } from './publish-file.ts';
import { readFileChunks, readPath } from './read-file.ts';
import type { StoredBlob, Uploads } from './store.ts';

/** The digest nearly everybody uses is computed on the way in; any other one from the file. */
const INLINE: Algorithm = 'sha256';
/** A client that comes back after a cut may meet the end of its own first request. */
const BUSY_MS = 1_000;
/** How many unfinished uploads keep their hash in memory; the others are read again. */
const MAX_HASHES = 1024;

/** The hash of an upload's first `offset` bytes. Valid only for this very file. */
interface Progress {
  readonly inode: number;
  readonly offset: number;
  readonly hash: Hash;
}

/** Uploads as files below `ingest/`. Any process may continue what another one began. */
export function diskUploads(root: string): Uploads {
  const progress = new Map<string, Progress>();
  return {
    begin: (_ctx, id = randomUUID()) => begin(root, id),
    offset: async (_ctx, id) => await sizeOf(uploadPath(root, id)),
    append: (ctx, id, chunks) =>
      locked(ctx, root, id, (path) => append(ctx, path, id, progress, chunks)),
    commit: (ctx, id, digest) =>
      locked(ctx, root, id, async (path) => {
        const known = progress.get(id);
        progress.delete(id);
        return await commit(root, path, digest, known);
      }),
    cancel: (ctx, id) =>
      locked(ctx, root, id, async (path) => {
        progress.delete(id);
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
  return await withFileLock(ctx, `${path}.lock`, { waitMs: BUSY_MS }, () => task(path));
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
  path: string,
  id: string,
  progress: Map<string, Progress>,
  chunks: AsyncIterable<Uint8Array>,
): Promise<number> {
  const file = await openUpload(path, id);
  try {
    const { inode, offset: start, hash } = await resume(file, progress.get(id));
    progress.delete(id);
    let received = start;
    const take = (chunk: Uint8Array) => {
      ctx.signal.throwIfAborted();
      hash.update(chunk);
      received += chunk.length;
    };
    try {
      return await appendFile(file, start, chunks, take);
    } finally {
      // After a failed write the file is shorter than this says, and will be read again.
      remember(progress, id, { inode, offset: received, hash });
    }
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    await file.close();
  }
}

async function openUpload(path: string, id: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') throw unknownUpload(id);
    throw error;
  }
}

/** The hash of what is there: from memory if nobody wrote since, else by reading it. */
async function resume(file: FileHandle, known: Progress | undefined): Promise<Progress> {
  const { ino: inode, size: offset } = await file.stat();
  if (known && known.inode === inode && known.offset === offset) return known;
  const hash = createHash(INLINE);
  if (offset > 0) {
    for await (const chunk of readFileChunks(file, { start: 0, end: offset - 1 })) {
      hash.update(chunk);
    }
  }
  return { inode, offset, hash };
}

function remember(progress: Map<string, Progress>, id: string, state: Progress): void {
  progress.set(id, state);
  if (progress.size <= MAX_HASHES) return;
  const oldest = progress.keys().next().value;
  if (oldest !== undefined) progress.delete(oldest);
}

async function commit(
  root: string,
  path: string,
  digest: Digest,
  known: Progress | undefined,
): Promise<StoredBlob> {
  const status = await stat(path).catch(() => undefined);
  if (!status) return await committedBefore(root, path, digest);
  const found = await hashOf(path, splitDigest(digest).algorithm, status, known);
  if (found !== splitDigest(digest).hex) {
    await removeIfPresent(path);
    throw mismatch({ digest }, 'different bytes');
  }
  const blob = { digest, size: status.size };
  if (await reuseBlob(root, blob)) await removeIfPresent(path);
  else {
    await syncData(path);
    await publishFile(path, root, digest);
  }
  return blob;
}

async function hashOf(
  path: string,
  algorithm: Algorithm,
  status: { readonly ino: number; readonly size: number },
  known: Progress | undefined,
): Promise<string> {
  const fits = known?.inode === status.ino && known.offset === status.size;
  if (known && fits && algorithm === INLINE) return known.hash.digest('hex');
  const hash = createHash(algorithm);
  for await (const chunk of readPath(path)) hash.update(chunk);
  return hash.digest('hex');
}

async function committedBefore(root: string, path: string, digest: Digest): Promise<StoredBlob> {
  const size = await blobSize(root, digest);
  if (size === undefined) throw unknownUpload(path);
  return { digest, size };
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}

async function* list(ctx: Context, root: string): ReturnType<Uploads['list']> {
  const directory = join(root, 'ingest');
  // A layout that another tool made has no such folder.
  const names = await readdir(directory).catch(() => [] as string[]);
  for (const id of names.filter(isUploadId).toSorted()) {
    ctx.signal.throwIfAborted();
    const status = await stat(join(directory, id)).catch(() => undefined);
    if (status) yield { id, idleSince: status.mtime };
  }
}

/** The error for an upload that was never begun, or is finished or cancelled. */
export function unknownUpload(id: string): AtollError {
  return new AtollError('CONTENT_MISSING', `Cannot continue the upload "${id}": there is none`, {
    hint: 'Start the upload again',
  });
}
