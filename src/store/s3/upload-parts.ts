import type { Context } from '../../core/context.ts';
import { requireUploadId } from '../layout/paths.ts';
import type { Uploads } from '../store.ts';
import type { Bucket, StoredObject } from './bucket.ts';
import { MIN_PART_BYTES } from './multipart.ts';

//   ingest/<id>/begun              empty: there is such an upload
//   ingest/<id>/<offset>           the bytes from there on, up to one part

const OFFSET_DIGITS = 16;

const folderOf = (id: string): string => `ingest/${requireUploadId(id)}/`;

/** The object that says there is such an upload, though it has no bytes yet. */
export const begunKey = (id: string): string => `${folderOf(id)}begun`;

/** The parts in order, or undefined when there is no such upload. */
export async function partsOf(
  ctx: Context,
  bucket: Bucket,
  id: string,
): Promise<readonly StoredObject[] | undefined> {
  const objects: StoredObject[] = [];
  for await (const object of bucket.list(ctx, folderOf(id))) objects.push(object);
  if (objects.length === 0) return undefined;
  const parts: StoredObject[] = [];
  let offset = 0;
  for (const object of objects) {
    // What does not follow was left by another writer, whose parts had other sizes.
    if (object.key !== partKey(id, offset)) continue;
    parts.push(object);
    offset += object.size;
  }
  return parts;
}

export const partKey = (id: string, offset: number): string =>
  `${folderOf(id)}${String(offset).padStart(OFFSET_DIGITS, '0')}`;

export const sizeOf = (parts: readonly StoredObject[]): number =>
  parts.reduce((sum, { size }) => sum + size, 0);

/** Whether the store can put them together by itself. */
export function areCopyable(parts: readonly StoredObject[]): boolean {
  return parts.length > 0 && parts.slice(0, -1).every(({ size }) => size >= MIN_PART_BYTES);
}

export async function* readParts(
  ctx: Context,
  bucket: Bucket,
  parts: readonly StoredObject[],
): AsyncGenerator<Uint8Array> {
  for (const { key } of parts) yield* (await bucket.get(ctx, key)) ?? [];
}

export async function removeUpload(ctx: Context, bucket: Bucket, id: string): Promise<boolean> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(ctx, folderOf(id))) keys.push(key);
  await bucket.remove(ctx, keys);
  return keys.length > 0;
}

/** The uploads of a bucket; the objects of one follow each other. */
export async function* listUploads(ctx: Context, bucket: Bucket): ReturnType<Uploads['list']> {
  let current: { readonly id: string; readonly idleSince: Date } | undefined;
  for await (const { key, modifiedAt } of bucket.list(ctx, 'ingest/')) {
    const id = key.split('/')[1] ?? '';
    if (current && current.id !== id) yield current;
    const earlier = current?.id === id ? current.idleSince.getTime() : 0;
    current = { id, idleSince: new Date(Math.max(earlier, modifiedAt.getTime())) };
  }
  if (current) yield current;
}
