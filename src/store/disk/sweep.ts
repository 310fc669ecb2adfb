import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { isUploadId } from '../layout/paths.ts';
import type { Swept } from '../store.ts';

/** Removes what interrupted writes left in `ingest/`, among the records and beside the index. */
export async function sweepDisk(ctx: Context, root: string, before: Date): Promise<Swept> {
  const inIngest = await olderFiles(join(root, 'ingest'), before, (name) => !isUploadId(name));
  const atTop = await olderFiles(root, before, isTemporary);
  const inRecords: string[] = [];
  for await (const directory of directoriesBelow(ctx, join(root, 'records'))) {
    inRecords.push(...(await olderFiles(directory, before, isTemporary)));
  }
  return await removeAll([...inIngest, ...atTop, ...inRecords]);
}

const isTemporary = (name: string): boolean => name.startsWith('.') && name.endsWith('.tmp');

async function olderFiles(
  directory: string,
  before: Date,
  isRubbish: (name: string) => boolean,
): Promise<string[]> {
  const older: string[] = [];
  for (const name of await readdir(directory).catch(() => [] as string[])) {
    if (!isRubbish(name)) continue;
    const path = join(directory, name);
    const status = await stat(path).catch(() => undefined);
    if (status?.isFile() && status.mtime < before) older.push(path);
  }
  return older;
}

async function* directoriesBelow(ctx: Context, directory: string): AsyncGenerator<string> {
  ctx.signal.throwIfAborted();
  yield directory;
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) yield* directoriesBelow(ctx, join(directory, entry.name));
  }
}

async function removeAll(paths: readonly string[]): Promise<Swept> {
  let [files, bytes] = [0, 0];
  for (const path of paths) {
    const size = (await stat(path).catch(() => undefined))?.size ?? 0;
    await rm(path, { force: true });
    files += 1;
    bytes += size;
  }
  return { files, bytes };
}
