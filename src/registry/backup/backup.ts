import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { makeFolder, SECRET_DIRECTORY_MODE } from '../../core/files.ts';
import { counted, formatBytes } from '../../core/format.ts';
import { acquireLock } from '../../core/lock.ts';
import { mapBounded } from '../../core/pool.ts';
import { Progress } from '../../core/progress.ts';
import { openDiskStore } from '../../store/disk/disk-store.ts';
import type { Store } from '../../store/store.ts';
import { checkStore } from '../../store/upkeep/check.ts';
import { type Moment, readMoment } from './read-moment.ts';
import {
  type BackupBlob,
  type BackupFile,
  contentPath,
  listSnapshots,
  newSnapshotId,
  readSnapshot,
  removeSnapshot,
  writeSnapshot,
} from './snapshot.ts';

export interface BackupOptions {
  readonly to: string;
  readonly files: readonly BackupFile[];
  /** Snapshots that stay, the new one included; all without it. */
  readonly keep?: number | undefined;
  /** Read all that the backup holds again, not only what is new. */
  readonly verify?: boolean | undefined;
}

export interface BackupReport {
  readonly snapshot: string;
  readonly records: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly copiedBlobs: number;
  readonly copiedBytes: number;
  readonly removedSnapshots: number;
  readonly removedBlobs: number;
}

const READERS = 4;
/** An image that goes while it is copied makes another look necessary; the next one finds most done. */
const MAX_ROUNDS = 5;

/** Copies what the backup has not got, and writes down what belonged together. The registry may run. */
export async function backupRegistry(
  ctx: Context,
  store: Store,
  options: BackupOptions,
): Promise<BackupReport> {
  await makeFolder(options.to, SECRET_DIRECTORY_MODE);
  const lock = await acquireLock(ctx, join(options.to, 'lock'), `backup "${options.to}"`);
  try {
    const content = await openDiskStore(contentPath(options.to));
    const { moment, copied } = await copyMoment(ctx, store, content);
    const id = newSnapshotId(ctx);
    await writeSnapshot(options.to, {
      version: 1,
      id,
      createdAt: ctx.now().toISOString(),
      records: moment.records.map(([key, value]) => [key, value]),
      blobs: [...moment.blobs],
      files: [...options.files],
    });
    const removed = await forget(ctx, content, options);
    if (options.verify) await verifyContent(ctx, content);
    return {
      snapshot: id,
      records: moment.records.length,
      blobs: moment.blobs.length,
      bytes: sizeOf(moment.blobs),
      copiedBlobs: copied.length,
      copiedBytes: sizeOf(copied),
      ...removed,
    };
  } finally {
    await lock.release();
  }
}

const sizeOf = (blobs: readonly BackupBlob[]) => blobs.reduce((sum, { size }) => sum + size, 0);

async function copyMoment(ctx: Context, store: Store, content: Store) {
  const copied: BackupBlob[] = [];
  for (let round = 1; ; round += 1) {
    const moment = await readMoment(ctx, store);
    const lost = await copyBlobs(ctx, store, content, moment, copied);
    if (lost === undefined) return { moment, copied };
    if (round >= MAX_ROUNDS) throw lost;
  }
}

/** Returns why a blob could not be read; all others are copied. */
async function copyBlobs(
  ctx: Context,
  from: Store,
  to: Store,
  { blobs }: Moment,
  copied: BackupBlob[],
): Promise<unknown> {
  let lost: unknown;
  const progress = new Progress(ctx, {
    id: 'registry.backup',
    title: 'Back up content',
    totalItems: blobs.length,
    totalBytes: sizeOf(blobs),
  });
  await mapBounded(ctx, READERS, blobs, async (blob) => {
    try {
      if (await copyBlob(ctx, from, to, blob)) copied.push(blob);
      progress.addBytes(blob.size);
      progress.addItem();
    } catch (error) {
      if (!(error instanceof AtollError && error.code === 'CONTENT_MISSING')) throw error;
      lost = error;
    }
  });
  progress.finish(`${counted(copied.length, 'new blob')}, ${formatBytes(sizeOf(copied))}`);
  return lost;
}

/** Compared with its digest on its way; false when it was there. */
export async function copyBlob(
  ctx: Context,
  from: Store,
  to: Store,
  blob: BackupBlob,
): Promise<boolean> {
  if ((await to.blobs.stat(ctx, blob.digest))?.size === blob.size) return false;
  const descriptor = { mediaType: 'application/octet-stream', ...blob };
  await to.blobs.write(ctx, descriptor, from.blobs.read(ctx, blob.digest));
  return true;
}

/** Drops snapshots beyond those to be kept, and what only they needed. */
async function forget(ctx: Context, content: Store, { to, keep }: BackupOptions) {
  if (keep === undefined) return { removedSnapshots: 0, removedBlobs: 0 };
  const all = await listSnapshots(to);
  const old = all.slice(0, -Math.max(1, keep));
  const needed = new Set<string>();
  for (const id of all.slice(old.length)) {
    for (const { digest } of (await readSnapshot(to, id)).blobs) needed.add(digest);
  }
  for (const id of old) await removeSnapshot(to, id);
  let removedBlobs = 0;
  for await (const { digest } of content.blobs.list(ctx)) {
    if (!needed.has(digest) && (await content.blobs.remove(ctx, digest))) removedBlobs += 1;
  }
  return { removedSnapshots: old.length, removedBlobs };
}

async function* noRoots() {}

async function verifyContent(ctx: Context, content: Store): Promise<void> {
  const { problems } = await checkStore(ctx, content, { roots: noRoots() });
  const [first] = problems;
  if (!first) return;
  const found = `${counted(problems.length, 'blob')} of it, the first is ${first.digest}`;
  throw new AtollError('CONTENT_MISMATCH', `Cannot rely on the backup: damaged are ${found}`, {
    hint: 'Remove these from "content/blobs" of the backup, and make it again',
    details: { digest: first.digest, damaged: problems.length },
  });
}
