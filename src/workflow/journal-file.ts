import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ZodType, z } from 'zod';
import { decodeLine, encodeLine } from '../core/checked-line.ts';
import {
  makeFolder,
  readTextIfPresent,
  SECRET_DIRECTORY_MODE,
  SECRET_MODE,
  syncDirectory,
  unwritable,
} from '../core/files.ts';

// Lines with a checksum each. A crash can tear only the last one. A line that does not check is
// skipped, and the next append starts on a line of its own.

export interface ReadLines<T> {
  readonly records: readonly T[];
  /** Lines that could not be trusted or are not of this kind, counted from 1. */
  readonly damaged: readonly number[];
}

export async function readLines<S extends ZodType>(
  path: string,
  schema: S,
): Promise<ReadLines<z.output<S>>> {
  const text = (await readTextIfPresent(path)) ?? '';
  const records: z.output<S>[] = [];
  const damaged: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const record = schema.safeParse(decodeLine(line));
    if (record.success) records.push(record.data);
    else damaged.push(index + 1);
  }
  return { records, damaged };
}

/** An append-only file of checked lines. */
export interface LineFile {
  /** Adds one record; with `durable` it has reached the disk when this returns. */
  append(record: object, durable?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** The file is made, or touched, by the first append: who only looks leaves no trace. */
export function openLineFile(path: string): LineFile {
  let opened: Promise<FileHandle> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function write(line: string, durable: boolean): Promise<void> {
    try {
      opened ??= openAtLineStart(path);
      const file = await opened;
      await file.appendFile(line);
      if (durable) await file.datasync();
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  return {
    append(record, durable = false) {
      // One after the other: lines of parallel steps must not mix. After a failure nothing more is
      // written, as the file may end within a line.
      last = last.then(() => write(encodeLine(record), durable));
      return last;
    },
    async close() {
      await last.catch(() => undefined);
      const file = await opened?.catch(() => undefined);
      await file?.close().catch((error) => {
        throw unwritable(path, error);
      });
    },
  };
}

async function openAtLineStart(path: string): Promise<FileHandle> {
  await makeFolder(dirname(path), SECRET_DIRECTORY_MODE);
  const file = await open(path, 'a+', SECRET_MODE);
  const { size } = await file.stat();
  if (size === 0) await syncDirectory(dirname(path));
  else {
    const end = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    if (end.buffer.toString() !== '\n') await file.appendFile('\n');
  }
  return file;
}
