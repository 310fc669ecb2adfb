import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AtollError, systemCodeOf } from './errors.ts';

/** Where a file that somebody named is really written. */
export interface OutputPlace {
  readonly path: string;
  /** A terminal, a pipe, `/dev/null`: written to as it is. Else a file that is replaced whole. */
  readonly isStream: boolean;
  /** Of the file that is there now. */
  readonly mode?: number;
}

/** As many as Linux follows. */
const MAX_LINKS = 40;
/** The kernel's links to what a process has open: the file behind them has an owner already. */
const OPEN_FILES = /^\/(?:proc|dev\/fd)\//;

/** Follows links to their end. What can neither be replaced nor written to is refused. */
export async function outputPlace(path: string): Promise<OutputPlace> {
  const found = await stat(path).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found?.isCharacterDevice() || found?.isFIFO()) return { path, isStream: true };
  if (found?.isBlockDevice()) throw refused(path, 'it is a disk');
  if (found?.isSocket()) throw refused(path, 'it is a socket');
  if (found?.isDirectory() || path.endsWith('/'))
    throw refused(path, 'it is a folder', 'Name a file in it');
  const end = await endOfLinks(path);
  if (found && OPEN_FILES.test(end)) return { path, isStream: true };
  return { path: end, isStream: false, ...(found ? { mode: found.mode & 0o777 } : {}) };
}

/** Also where the last link leads to nothing yet: there the file is made. */
async function endOfLinks(path: string): Promise<string> {
  let end = path;
  for (let links = 0; links < MAX_LINKS && !OPEN_FILES.test(end); links += 1) {
    const next = await readlink(end).catch(() => undefined);
    if (next === undefined) return end;
    // A link is relative to where it really lies, which is elsewhere in a linked folder.
    end = resolve(await realpath(dirname(end)), next);
  }
  return end;
}

/** Opens a stream without waiting for ever for somebody who reads the pipe. */
export async function openStream(path: string): Promise<FileHandle> {
  const probe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((error) => {
    throw systemCodeOf(error) === 'ENXIO' ? refused(path, 'nobody reads from this pipe') : error;
  });
  try {
    // Written through one that blocks: the other gives up as soon as a pipe is full.
    return await open(path, constants.O_WRONLY);
  } finally {
    await probe.close();
  }
}

function refused(
  path: string,
  found: string,
  hint = 'Name a file, or start what reads from it first',
): AtollError {
  return new AtollError('FILE_UNWRITABLE', `Cannot write "${path}": ${found}`, {
    hint,
    details: { path },
  });
}
