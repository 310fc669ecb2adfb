import { statSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError, systemCodeOf } from '../../core/errors.ts';
import { readTextIfPresent, syncDirectory, writeFileAtomic } from '../../core/files.ts';
import { CONTINUED, decodePart, directoryPath, RECORD_SUFFIX, recordPath } from '../record-path.ts';
import type { StampedRecords } from '../store.ts';

/** Records as JSON files below one folder; the folders mirror the parts of the keys. */
export function diskRecords(root: string): StampedRecords {
  const pathOf = (key: string) => join(root, recordPath(key));
  const knownPath = remembering(pathOf);
  return {
    async get(_ctx, key) {
      const path = pathOf(key);
      const text = await readTextIfPresent(path);
      return text === undefined ? undefined : parseRecord(path, text);
    },
    put: async (_ctx, key, value) => await write(pathOf(key), `${JSON.stringify(value)}\n`),
    async remove(_ctx, key) {
      const removed = await removeFile(pathOf(key));
      if (removed) await pruneEmpty(root, dirname(pathOf(key)));
      return removed;
    },
    list: (ctx, prefix, after) => list(ctx, root, prefix, after),
    stamp: (key) => stampOf(knownPath(key)),
  };
}

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

function parseRecord(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AtollError('CONTENT_MISMATCH', `Cannot read the record "${path}": it is not JSON`, {
      hint: 'Restore the file from a copy of the store, or remove it',
      cause,
      details: { path },
    });
  }
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

interface Entry {
  readonly part: string;
  /** Set for a folder: where its records are. */
  readonly directory?: string;
}

async function* list(
  ctx: Context,
  root: string,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<string> {
  const start = prefix === '' ? root : join(root, directoryPath(prefix.replace(/\/$/, '')));
  yield* walk(ctx, start, prefix, after);
}

async function* walk(
  ctx: Context,
  directory: string,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<string> {
  ctx.signal.throwIfAborted();
  for (const { key, directory: below } of sortedAfter(await entriesOf(directory), prefix, after)) {
    if (below === undefined) yield key;
    else yield* walk(ctx, below, key, after);
  }
}

interface Keyed {
  readonly key: string;
  readonly directory: string | undefined;
}

/** In byte order of the whole keys: a folder sorts with the `/` that follows its name. */
function sortedAfter(
  entries: readonly Entry[],
  prefix: string,
  after: string | undefined,
): readonly Keyed[] {
  const keyed = entries.map(({ part, directory }) => ({
    key: `${prefix}${part}${directory === undefined ? '' : '/'}`,
    directory,
  }));
  const compare = comparisonFor([after ?? '', ...keyed.map(({ key }) => key)]);
  const following = keyed.filter(({ key, directory }) => {
    if (after === undefined || compare(key, after) > 0) return true;
    // A folder may hold keys that follow, though its own name does not.
    return directory !== undefined && after.startsWith(key);
  });
  return following.toSorted((a, b) => compare(a.key, b.key));
}

const SURROGATE = /[\ud800-\udfff]/;

/** Strings compare as their bytes do, and much faster, unless there are characters beyond U+FFFF. */
function comparisonFor(texts: readonly string[]): (a: string, b: string) => number {
  if (texts.some((text) => SURROGATE.test(text))) {
    return (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  return (a, b) => (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * What a folder holds; `start` is the part of a long name that the folder itself stands for.
 * Names tell records and folders apart, so that nobody has to ask the file system.
 */
async function entriesOf(directory: string, start = ''): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const found of await readIfPresent(directory)) {
    // Being written.
    if (found.startsWith('.')) continue;
    const path = join(directory, found);
    const name = start === '' ? found : `${start}${found.slice(CONTINUED.length)}`;
    if (found.endsWith(RECORD_SUFFIX)) {
      entries.push({ part: decodePart(name.slice(0, -RECORD_SUFFIX.length)) });
    } else if (found.endsWith(CONTINUED)) {
      entries.push(...(await entriesOf(path, name.slice(0, -CONTINUED.length))));
    } else entries.push({ part: decodePart(name), directory: path });
  }
  return entries;
}

async function readIfPresent(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
