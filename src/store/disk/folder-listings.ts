import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../core/errors.ts';
import { CONTINUED, decodePart, RECORD_SUFFIX } from '../record-path.ts';

/** What a folder of records holds, in byte order of the keys. */
export interface FolderListing {
  readonly entries: readonly FolderEntry[];
  /** Where the entries begin that may hold keys after this one. */
  after(name: string): number;
}

export interface FolderEntry {
  /** A part of a key; that of a folder ends with `/`. */
  readonly name: string;
  /** Set for a folder: where its records are. */
  readonly directory?: string;
}

export interface FolderListings {
  read(directory: string): Promise<FolderListing>;
}

/** Names kept in memory for all folders together. */
const MAX_NAMES = 200_000;
/** A change within the same tick of the file system's clock leaves the time of a folder as it was. */
const SETTLED_MS = 1000;

interface Kept {
  readonly stamp: string;
  readonly listing: FolderListing;
}

/**
 * Reads folders, and remembers a sorted one for as long as its time of change says that it is the
 * same: a page of a long list costs what is on the page. Those who ask while a folder is being read
 * share the next reading.
 */
export function createFolderListings(
  readNames: (directory: string) => Promise<string[]> = readdirIfPresent,
): FolderListings {
  const kept = new Map<string, Kept>();
  const reading = new Map<string, Promise<FolderListing>>();
  const queued = new Map<string, Promise<FolderListing>>();
  let names = 0;

  function forget(directory: string): void {
    names -= kept.get(directory)?.listing.entries.length ?? 0;
    kept.delete(directory);
  }

  function keep(directory: string, one: Kept): void {
    forget(directory);
    if (one.listing.entries.length > MAX_NAMES) return;
    kept.set(directory, one);
    names += one.listing.entries.length;
    for (const oldest of kept.keys()) {
      if (names <= MAX_NAMES) return;
      forget(oldest);
    }
  }

  async function load(directory: string): Promise<FolderListing> {
    const status = await statIfPresent(directory);
    const stamp = status && stampOf(status);
    const known = kept.get(directory);
    if (known && known.stamp === stamp) return known.listing;
    const found = await entriesOf(directory, readNames);
    const listing = sorted(found.entries);
    // The time was read first: a change meanwhile shows as another one next time.
    const isSettled = status && Date.now() - status.mtimeMs > SETTLED_MS;
    // A change of a folder that continues a long name does not show here.
    if (stamp !== undefined && isSettled && !found.continued) keep(directory, { stamp, listing });
    else forget(directory);
    return listing;
  }

  function start(directory: string): Promise<FolderListing> {
    const started = load(directory).finally(() => reading.delete(directory));
    reading.set(directory, started);
    return started;
  }

  /** The one under way may have passed what was written just now. */
  function next(directory: string, running: Promise<unknown>): Promise<FolderListing> {
    const after = running
      .catch(() => undefined)
      .then(() => {
        queued.delete(directory);
        return start(directory);
      });
    queued.set(directory, after);
    return after;
  }

  return {
    read(directory) {
      const running = reading.get(directory);
      if (!running) return queued.get(directory) ?? start(directory);
      return queued.get(directory) ?? next(directory, running);
    },
  };
}

const stampOf = ({ ino, mtimeMs, ctimeMs }: Stats): string => `${ino} ${mtimeMs} ${ctimeMs}`;

function sorted(entries: readonly FolderEntry[]): FolderListing {
  const compare = comparisonFor(entries);
  const inOrder = entries.toSorted((a, b) => compare(a.name, b.name));
  return {
    entries: inOrder,
    after(name) {
      let [low, high] = [0, inOrder.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        const found = (inOrder[middle] as FolderEntry).name;
        // A folder may hold keys that follow, though its own name does not.
        if (compare(found, name) > 0 || (found.endsWith('/') && name.startsWith(found)))
          high = middle;
        else low = middle + 1;
      }
      return low;
    },
  };
}

const BEYOND_BASIC = /[\ud800-\udfff]/;

/** Strings compare as their bytes do, and much faster, unless there are characters beyond U+FFFF. */
function comparisonFor(entries: readonly FolderEntry[]): (a: string, b: string) => number {
  const simple = !entries.some(({ name }) => BEYOND_BASIC.test(name));
  return (a, b) => (simple && !BEYOND_BASIC.test(b) ? compareText(a, b) : compareBytes(a, b));
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
export const compareBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/**
 * What a folder holds; `start` is the part of a long name that the folder itself stands for.
 * Names tell records and folders apart, so that nobody has to ask the file system.
 */
async function entriesOf(
  directory: string,
  readNames: (directory: string) => Promise<string[]>,
  start = '',
): Promise<{ readonly entries: FolderEntry[]; readonly continued: boolean }> {
  const entries: FolderEntry[] = [];
  let continued = false;
  for (const found of await readNames(directory)) {
    // Being written.
    if (found.startsWith('.')) continue;
    const path = join(directory, found);
    const name = start === '' ? found : `${start}${found.slice(CONTINUED.length)}`;
    if (found.endsWith(RECORD_SUFFIX)) {
      entries.push({ name: decodePart(name.slice(0, -RECORD_SUFFIX.length)) });
    } else if (found.endsWith(CONTINUED)) {
      const rest = await entriesOf(path, readNames, name.slice(0, -CONTINUED.length));
      entries.push(...rest.entries);
      continued = true;
    } else entries.push({ name: `${decodePart(name)}/`, directory: path });
  }
  return { entries, continued };
}

async function readdirIfPresent(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function statIfPresent(directory: string): Promise<Stats | undefined> {
  try {
    return await stat(directory);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

const isAbsent = (error: unknown): boolean =>
  systemCodeOf(error) === 'ENOENT' || systemCodeOf(error) === 'ENOTDIR';
