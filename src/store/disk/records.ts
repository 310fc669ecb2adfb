import { statSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { decodeLine, encodeLine } from '../../core/checked-line.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, systemCodeOf } from '../../core/errors.ts';
import { readTextIfPresent, syncDirectory, writeFileAtomic } from '../../core/files.ts';
import { isObject } from '../../core/shape.ts';
import { directoryPath, recordPath } from '../record-path.ts';
import type { StampedRecords } from '../store.ts';
import { compareBytes, createFolderListings, type FolderListings } from './folder-listings.ts';

/** Records as JSON files below one folder; the folders mirror the parts of the keys. */
export function diskRecords(root: string): StampedRecords {
  const pathOf = (key: string) => join(root, recordPath(key));
  const knownPath = remembering(pathOf);
  const folders = createFolderListings();
  return {
    async get(_ctx, key) {
      const path = pathOf(key);
      const text = await readTextIfPresent(path);
      return text === undefined ? undefined : parseRecord(path, text);
    },
    put: async (_ctx, key, value) => await write(pathOf(key), textOf(value)),
    async remove(_ctx, key) {
      const removed = await removeFile(pathOf(key));
      if (removed) await pruneEmpty(root, dirname(pathOf(key)));
      return removed;
    },
    list: (ctx, prefix, after) => {
      const start = prefix === '' ? root : join(root, directoryPath(prefix.replace(/\/$/, '')));
      if (after === undefined || after.startsWith(prefix)) {
        return walk(ctx, folders, start, prefix, after?.slice(prefix.length));
      }
      return compareBytes(prefix, after) > 0
        ? walk(ctx, folders, start, prefix, undefined)
        : nothing();
    },
    stamp: (key) => stampOf(knownPath(key)),
  };
}

async function* nothing(): AsyncGenerator<string> {}

const MAX_PATHS = 20_000;

/** A server stamps the same few keys thousands of times a second. */
function remembering(pathOf: (key: string) => string): (key: string) => string {
  const paths = new Map<string, string>();
  return (key) => {
    const known = paths.get(key);
    if (known !== undefined) return known;
    if (paths.size >= MAX_PATHS) paths.clear();
    const path = pathOf(key);
    paths.set(key, path);
    return path;
  };
}

/** Every write makes a new file, so its number and time of birth tell writes apart. */
function stampOf(path: string): string | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status && `${status.ino}-${status.ctimeMs}-${status.size}`;
}

/** Objects get a checksum: a bit that a disk turned over must not become another size or digest. */
const textOf = (value: unknown): string =>
  isObject(value) ? encodeLine(value) : `${JSON.stringify(value)}\n`;

/** A record without a checksum is of an older version, and read as it is. */
function parseRecord(path: string, text: string): unknown {
  const checked = decodeLine(text.trimEnd());
  if (checked !== undefined) return checked;
  try {
    const value: unknown = JSON.parse(text);
    if (!(isObject(value) && 'sum' in value)) return value;
  } catch {
    // Told below, as an altered one is.
  }
  throw new AtollError('CONTENT_MISMATCH', `Cannot read the record "${path}": it was altered`, {
    hint: 'Push the image again, or restore the file from a copy of the store',
    details: { path },
  });
}

/** Another process may remove the empty folder between making it and writing into it. */
async function write(path: string, text: string, tries = 5): Promise<void> {
  try {
    await writeFileAtomic(path, text);
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause;
    if (tries <= 1 || systemCodeOf(cause) !== 'ENOENT') throw error;
    await write(path, text, tries - 1);
  }
}

async function removeFile(path: string): Promise<boolean> {
  try {
    await rm(path);
    await syncDirectory(dirname(path));
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function pruneEmpty(root: string, directory: string): Promise<void> {
  for (let path = directory; path !== root && path.startsWith(root); path = dirname(path)) {
    try {
      await rmdir(path);
    } catch {
      return;
    }
  }
}

async function* walk(
  ctx: Context,
  folders: FolderListings,
  directory: string,
  prefix: string,
  /** Without the prefix. */
  after: string | undefined,
): AsyncGenerator<string> {
  ctx.signal.throwIfAborted();
  const { entries, after: startAfter } = await folders.read(directory);
  for (const entry of entries.slice(after === undefined ? 0 : startAfter(after))) {
    const key = `${prefix}${entry.name}`;
    if (entry.directory === undefined) yield key;
    else yield* walk(ctx, folders, entry.directory, key, below(entry.name, after));
  }
}

/** What is left of `after` in a folder; nothing, where all that the folder holds follows it. */
function below(name: string, after: string | undefined): string | undefined {
  return after?.startsWith(name) ? after.slice(name.length) : undefined;
}
