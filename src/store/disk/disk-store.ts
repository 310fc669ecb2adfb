import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Context, silentContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { exists, makeFolder, readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { withLock } from '../../core/lock.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { ALGORITHMS, blobPath, indexLockPath, isUploadId } from '../layout/paths.ts';
import type { FileBacked, StampedRecords, Store, Sweeping, Swept } from '../store.ts';
import { diskBlobs } from './blobs.ts';
import { diskRecords } from './records.ts';
import { diskUploads } from './uploads.ts';

/** A store in one directory: an OCI image layout that other tools can read. */
export interface DiskStore extends Store, FileBacked, Sweeping {
  readonly records: StampedRecords;
}

export interface DiskStoreOptions {
  /** False: the layout has to exist and nothing is written on opening, as on read-only media. */
  readonly create?: boolean;
}

const LAYOUT = '{"imageLayoutVersion":"1.0.0"}';

/** Opens the store in a directory, and makes it one if need be. */
export async function openDiskStore(
  directory: string,
  options: DiskStoreOptions = {},
): Promise<DiskStore> {
  const root = resolve(directory);
  if (options.create === false) await requireLayout(root);
  else await createLayout(silentContext(), root);
  return {
    root,
    blobs: diskBlobs(root),
    uploads: diskUploads(root),
    records: diskRecords(join(root, 'records')),
    blobPath: (digest) => blobPath(root, digest),
    sweep: (ctx, before) => sweepDisk(ctx, root, before),
  };
}

async function requireLayout(root: string): Promise<void> {
  const text = await readTextIfPresent(join(root, 'oci-layout'));
  if (text !== undefined) return checkVersion(root, text);
  throw new AtollError('FILE_UNREADABLE', `Cannot open "${root}": it is not an OCI image layout`, {
    hint: 'Name the folder that holds "oci-layout" and "index.json"',
    details: { path: root },
  });
}

function checkVersion(root: string, text: string): void {
  let version: unknown;
  try {
    version = (JSON.parse(text) as { imageLayoutVersion?: unknown } | null)?.imageLayoutVersion;
  } catch {
    version = undefined;
  }
  if (typeof version === 'string' && version.startsWith('1.')) return;
  const path = join(root, 'oci-layout');
  throw new AtollError('INPUT_INVALID', `Cannot use "${path}": found version "${version}"`, {
    hint: 'Only version 1.0.0 of the OCI image layout exists',
    details: { path },
  });
}

async function createLayout(ctx: Context, root: string): Promise<void> {
  const text = await readTextIfPresent(join(root, 'oci-layout'));
  if (text !== undefined) checkVersion(root, text);
  if (text !== undefined && !(await exists(join(root, 'index.json')))) throw indexLost(root);
  const blobs = ALGORITHMS.map((algorithm) => join('blobs', algorithm));
  for (const folder of [...blobs, 'ingest', 'records']) {
    await makeFolder(join(root, folder));
  }
  if (text === undefined) await initialize(ctx, root);
}

/** Without the names of its images all that a layout holds would count as garbage. */
function indexLost(root: string): AtollError {
  const path = join(root, 'index.json');
  return new AtollError('FILE_UNREADABLE', `Cannot open "${root}": its "index.json" is missing`, {
    hint: 'Restore it from a copy of the layout; to forget all images, remove "oci-layout" too',
    details: { path },
  });
}

async function initialize(ctx: Context, root: string): Promise<void> {
  await withLock(ctx, indexLockPath(root), { waitMs: 30_000 }, () => writeSkeleton(root));
}

/** `oci-layout` goes last: where it is, the rest is too. */
async function writeSkeleton(root: string): Promise<void> {
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests: [] };
  if (!(await exists(join(root, 'index.json')))) {
    await writeFileAtomic(join(root, 'index.json'), JSON.stringify(index));
  }
  if (!(await exists(join(root, 'oci-layout')))) {
    await writeFileAtomic(join(root, 'oci-layout'), LAYOUT);
  }
}

/** Removes what interrupted writes left in `ingest/`, among the records and beside the index. */
async function sweepDisk(ctx: Context, root: string, before: Date): Promise<Swept> {
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
