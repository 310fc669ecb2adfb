import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ErrorCode } from './error-codes.ts';
import { AtollError, type Details, messageOf, systemCodeOf } from './errors.ts';
import { openStream, outputPlace } from './output-place.ts';
import { readInput } from './read-input.ts';

/** Only the owner reads it: for everything that holds a secret. */
export const SECRET_MODE = 0o600;
export const SECRET_DIRECTORY_MODE = 0o700;

export interface WriteOptions {
  /** Default: that of the file that is replaced, else what the umask leaves. */
  readonly mode?: number;
  /** Mode of directories that have to be made on the way. */
  readonly directoryMode?: number;
}

type Bytes = string | Uint8Array | AsyncIterable<Uint8Array | string>;

/**
 * Writes a whole file or none: temp file beside it, fsync, rename, fsync of the directory.
 * Readers see the old content or the new, never a part. Through a link the file behind it is
 * replaced; a device or a pipe is written to.
 */
export async function writeFileAtomic(
  path: string,
  content: Bytes,
  options: WriteOptions = {},
): Promise<void> {
  try {
    const place = await outputPlace(path);
    if (place.isStream) return await writeStream(path, content);
    await makeFolders(resolve(dirname(place.path)), options.directoryMode);
    await replaceFile(place.path, content, options.mode ?? place.mode);
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function replaceFile(path: string, content: Bytes, mode: number | undefined): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  try {
    const file = await open(partial, 'wx', mode ?? 0o666);
    try {
      await writeFile(file, content);
      // open() applies the umask; an explicit mode is a promise.
      if (mode !== undefined) await chmod(partial, mode);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeStream(path: string, content: Bytes): Promise<void> {
  const file = await openStream(path);
  try {
    await writeFile(file, content);
  } finally {
    await file.close();
  }
}

/**
 * Makes a folder and those on the way; each new name survives a power cut. Not with `recursive`, which
 * asks for ever where a file system refuses new folders with ENOENT, as `/proc` does.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeFolders(resolve(path), mode);
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function makeFolders(path: string, mode = 0o777, tries = 3): Promise<void> {
  const parent = dirname(path);
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (await isFolder(path)) return;
    if (systemCodeOf(error) !== 'ENOENT' || parent === path || tries === 1) throw error;
    await makeFolders(parent, mode);
    // Another process may remove the empty parent meanwhile.
    return await makeFolders(path, mode, tries - 1);
  }
  await syncDirectory(parent);
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** Makes a rename or an unlink in this directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

export async function readText(path: string): Promise<string> {
  return (await readBytes(path)).toString('utf8');
}

export async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readInput(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The text, or undefined when there is no such file. Any other trouble is an error. */
export async function readTextIfPresent(path: string): Promise<string | undefined> {
  try {
    return (await readInput(path)).toString('utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

/** Whether there is something that we can see; a link counts as what it leads to. */
export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** The named error for a failed read, with what was found there. */
export function unreadable(path: string, cause: unknown): AtollError {
  if (cause instanceof AtollError) return cause;
  return fileError('FILE_UNREADABLE', `Cannot read "${path}"`, path, cause);
}

/** The named error for a failed write; what is not a system error passes unchanged. */
export function unwritable(path: string, cause: unknown): unknown {
  if (cause instanceof AtollError || systemCodeOf(cause) === undefined) return cause;
  if (isFull(cause)) return diskFull(`Cannot write "${path}"`, cause, { path });
  return fileError('FILE_UNWRITABLE', `Cannot write "${path}"`, path, cause);
}

/** A system error about a file is about this machine, wherever it came from; all else passes unchanged. */
export function fileTrouble(cause: unknown): unknown {
  if (cause instanceof AtollError || !(cause instanceof Error)) return cause;
  if (isFull(cause)) return diskFull('Cannot write', cause, {});
  const { path, syscall } = cause as NodeJS.ErrnoException;
  if (path === undefined || syscall === undefined) return cause;
  const code = READING.has(syscall) ? 'FILE_UNREADABLE' : 'FILE_UNWRITABLE';
  return fileError(code, `Cannot use "${path}"`, path, cause);
}

const READING = new Set(['open', 'opendir', 'scandir', 'stat', 'lstat', 'access', 'readlink']);

const isFull = (cause: unknown) => ['ENOSPC', 'EDQUOT'].includes(systemCodeOf(cause) ?? '');

function diskFull(attempt: string, cause: unknown, details: Details): AtollError {
  return new AtollError('DISK_FULL', `${attempt}: the disk is full`, {
    hint: 'Free some space and run the same command again',
    cause,
    details,
  });
}

function fileError(code: ErrorCode, attempt: string, path: string, cause: unknown): AtollError {
  const system = systemCodeOf(cause) ?? '';
  const known = code === 'FILE_UNWRITABLE' && system === 'ENOENT' ? NO_FOLDER : FOUND[system];
  const [found, hint] = known ?? [messageOf(cause), 'Check the path'];
  return new AtollError(code, `${attempt}: ${found}`, { hint, cause, details: { path } });
}

const FILE_IN_THE_WAY = ['a file stands where a folder is meant', 'Check the path'] as const;
const NO_RIGHT = [
  'permission denied',
  'Run it as a user who may, or change the rights of this place',
] as const;

/** Writing makes the folders that are missing: where it still says so, there can be none. */
const NO_FOLDER = ['nothing can be made there', 'Name a place on a disk of this machine'] as const;

/** What system errors say about the place they name, and what to do about it. */
const FOUND: Readonly<Record<string, readonly [found: string, hint: string]>> = {
  ENOENT: ['there is no such file or folder', 'Check the name, and the folder it is looked for in'],
  EISDIR: ['it is a folder', 'Name a file in it'],
  EEXIST: FILE_IN_THE_WAY,
  ENOTDIR: FILE_IN_THE_WAY,
  EACCES: NO_RIGHT,
  EPERM: NO_RIGHT,
  EROFS: ['the disk is read-only', 'Name a place on another disk'],
};
