import type { Stats } from 'node:fs';
import { rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AtollError, systemCodeOf } from '../../core/errors.ts';
import { syncDirectory, unreadable, unwritable } from '../../core/files.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { blobPath } from '../layout/paths.ts';
import { SHORTEST_GRACE_MS } from '../store.ts';

const syncDirectoryOnce = createDirectorySync();

/** What the file system knows about a file, or undefined when there is none. */
export async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

/** Size of a blob's file, or undefined when there is none. */
export async function blobSize(root: string, digest: Digest): Promise<number | undefined> {
  const path = blobPath(root, digest);
  const status = await statIfPresent(path);
  if (status === undefined || status.isFile()) return status?.size;
  throw new AtollError('FILE_UNREADABLE', `Cannot read "${path}": it is no file`, {
    hint: 'Remove it, and copy the image again',
    details: { path },
  });
}

/** A time this young is left as it is: touching a blob again and again costs the disk. */
const FRESH_MS = SHORTEST_GRACE_MS / 2;

/**
 * Starts a blob's age again, so that a collection of garbage that runs now sees a blob somebody
 * has just relied on. False when there is no such blob.
 */
export async function touchBlob(root: string, digest: Digest): Promise<boolean> {
  const path = blobPath(root, digest);
  try {
    const { mtimeMs } = await stat(path);
    const now = new Date();
    if (now.getTime() - mtimeMs > FRESH_MS) await utimes(path, now, now);
    return true;
  } catch (error) {
    // On a read-only disk, or with somebody else's file, it is here all the same.
    return systemCodeOf(error) !== 'ENOENT';
  }
}

/** Whether the blob is here with this size, to be used instead of a new one. */
export async function reuseBlob(
  root: string,
  blob: Pick<Descriptor, 'digest' | 'size'>,
): Promise<boolean> {
  return (await blobSize(root, blob.digest)) === blob.size && (await touchBlob(root, blob.digest));
}

/** Gives verified bytes their name. Two that publish the same blob both succeed. */
export async function publishFile(partial: string, root: string, digest: Digest): Promise<void> {
  const target = blobPath(root, digest);
  try {
    await rename(partial, target);
    await syncDirectoryOnce(dirname(target)).catch(async (error) => {
      // Under its name it would count as there, though a power cut may take the name away.
      await rm(target, { force: true });
      throw error;
    });
  } catch (error) {
    throw unwritable(target, error);
  }
}

export async function removeIfPresent(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw unwritable(path, error);
  }
}

/**
 * Makes renames in a directory durable. Calls that come while one is waiting to start share it:
 * many commits at once pay for one sync.
 */
function createDirectorySync(): (path: string) => Promise<void> {
  const waiting = new Map<string, Promise<void>>();
  const running = new Map<string, Promise<void>>();

  return (path) => {
    const joined = waiting.get(path);
    if (joined) return joined;
    const previous = running.get(path) ?? Promise.resolve();
    const next = previous
      .catch(() => undefined)
      .then(() => {
        waiting.delete(path);
        running.set(path, next);
        return syncDirectory(path);
      })
      .finally(() => {
        if (running.get(path) === next) running.delete(path);
      });
    waiting.set(path, next);
    return next;
  };
}
