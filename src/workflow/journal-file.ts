import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readTextIfPresent, SECRET_DIRECTORY_MODE, SECRET_MODE } from '../core/files.ts';

// One JSON object per line, each with a checksum of the rest of its line:
//
//   {"seq":7,"at":"…",…,"sum":"1f0c…"}
//
// A crash can tear only the last line. A line that does not check is skipped, and the next append
// starts on a line of its own.

const SUM_LENGTH = 12;

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SUM_LENGTH);
}

export function encodeLine(record: object): string {
  const body = JSON.stringify(record).slice(0, -1);
  return `${body}${body === '{' ? '' : ','}"sum":"${sumOf(body)}"}\n`;
}

/** The record of one line, or undefined when the line is torn or altered. */
export function decodeLine(line: string): Record<string, unknown> | undefined {
  const match = /^(?<body>\{.*?),?"sum":"(?<sum>[0-9a-f]+)"\}$/.exec(line);
  const { body, sum } = match?.groups ?? {};
  if (body === undefined || sumOf(body) !== sum) return undefined;
  const { sum: _sum, ...record } = JSON.parse(line);
  return record;
}

export interface ReadLines {
  readonly records: readonly Record<string, unknown>[];
  /** Lines that could not be trusted, counted from 1. */
  readonly damaged: readonly number[];
}

export async function readLines(path: string): Promise<ReadLines> {
  const text = (await readTextIfPresent(path)) ?? '';
  const records: Record<string, unknown>[] = [];
  const damaged: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const record = decodeLine(line);
    if (record) records.push(record);
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

export async function openLineFile(path: string): Promise<LineFile> {
  await mkdir(dirname(path), { recursive: true, mode: SECRET_DIRECTORY_MODE });
  const text = (await readTextIfPresent(path)) ?? '';
  const file: FileHandle = await open(path, 'a', SECRET_MODE);
  if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
  let last: Promise<void> = Promise.resolve();

  async function write(line: string, durable: boolean): Promise<void> {
    await file.appendFile(line);
    if (durable) await file.datasync();
  }

  return {
    append(record, durable = false) {
      // One after the other: lines of parallel steps must not mix.
      last = last.then(() => write(encodeLine(record), durable));
      return last;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}
