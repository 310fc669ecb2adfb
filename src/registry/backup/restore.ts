import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { counted } from '../../core/format.ts';
import { mapBounded } from '../../core/pool.ts';
import { Progress } from '../../core/progress.ts';
import { type Digest, parseDigest } from '../../oci/digest.ts';
import { openDiskStore } from '../../store/disk/disk-store.ts';
import type { Store } from '../../store/store.ts';
import { openLinks } from '../storage/links.ts';
import { copyBlob } from './backup.ts';
import { type BackupSnapshot, contentPath } from './snapshot.ts';

export interface RestoreReport {
  readonly snapshot: string;
  readonly records: number;
  readonly blobs: number;
  readonly copiedBlobs: number;
}

/** Says which snapshot is being put back: one that was interrupted goes on. */
const MARK = 'restore/snapshot';
const WRITERS = 4;

/** Puts a snapshot into an empty store: content first, and what names it after that. */
export async function restoreRegistry(
  ctx: Context,
  store: Store,
  backup: string,
  snapshot: BackupSnapshot,
): Promise<RestoreReport> {
  await requireEmpty(ctx, store, snapshot.id);
  await store.records.put(ctx, MARK, { snapshot: snapshot.id });
  const content = await openDiskStore(contentPath(backup));
  const blobs = snapshot.blobs.map(({ digest, size }) => ({ digest: parseDigest(digest), size }));
  const copiedBlobs = await copyAll(ctx, content, store, blobs);
  await mapBounded(ctx, WRITERS, snapshot.records, async ([key, value]) => {
    if (!key.includes('/_tags/')) await store.records.put(ctx, key, value);
  });
  for (const [key, value] of snapshot.records) {
    if (key.includes('/_tags/')) await store.records.put(ctx, key, value);
  }
  await store.records.remove(ctx, MARK);
  return {
    snapshot: snapshot.id,
    records: snapshot.records.length,
    blobs: blobs.length,
    copiedBlobs,
  };
}

async function copyAll(
  ctx: Context,
  from: Store,
  to: Store,
  blobs: readonly { readonly digest: Digest; readonly size: number }[],
): Promise<number> {
  const totalBytes = blobs.reduce((sum, { size }) => sum + size, 0);
  const totals = { totalItems: blobs.length, totalBytes };
  const progress = new Progress(ctx, {
    id: 'registry.restore',
    title: 'Restore content',
    ...totals,
  });
  let copied = 0;
  await mapBounded(ctx, WRITERS, blobs, async (blob) => {
    if (await copyBlob(ctx, from, to, blob)) copied += 1;
    progress.addBytes(blob.size);
    progress.addItem();
  });
  progress.finish(counted(copied, 'blob'));
  return copied;
}

async function requireEmpty(ctx: Context, store: Store, snapshot: string): Promise<void> {
  const mark = (await store.records.get(ctx, MARK)) as { snapshot?: string } | undefined;
  if (mark?.snapshot === snapshot) return;
  for await (const repository of openLinks(store.records).repositories(ctx)) {
    throw new AtollError('INPUT_INVALID', `Cannot restore: the store has "${repository}" already`, {
      hint: 'Restore into a new folder (--dir), and serve that one',
      details: { repository },
    });
  }
}
