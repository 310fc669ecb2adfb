import { asBuffer } from '../byte-reader.ts';
import { fieldsOfEntry, lineOfFields } from './journal-json.ts';
import { formatWithUnit, type JournalEntry } from './journal-text.ts';

/**
 * The journal export format (`journalctl -o export`, systemd-journal-gatewayd): fields one per line,
 * entries apart by an empty line, and values with a newline as name, 64-bit length, bytes.
 */
const NEWLINE = 10;
const MAX_VALUE_BYTES = 1024 * 1024;
const MAX_NAME_BYTES = 64 * 1024;

export function isJournalExport(head: string): boolean {
  return /^(?:__CURSOR|__REALTIME_TIMESTAMP|__MONOTONIC_TIMESTAMP|__SEQNUM)=/.test(head);
}

/** Rewrites an export as text lines with units, one per entry, so that one scanner reads both. */
export async function* journalExportAsText(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let fields: Record<string, string> = {};
  let lines: string[] = [];
  let size = 0;
  for await (const [name, value] of exportFields(chunks)) {
    if (name !== '') {
      fields[name] = value;
      continue;
    }
    if (Object.keys(fields).length > 0) lines.push(textOf(fields));
    size += (lines.at(-1)?.length ?? 0) + 1;
    fields = {};
    if (size > 256 * 1024) {
      yield Buffer.from(lines.join(''));
      lines = [];
      size = 0;
    }
  }
  if (Object.keys(fields).length > 0) lines.push(textOf(fields));
  if (lines.length > 0) yield Buffer.from(lines.join(''));
}

function textOf(fields: Readonly<Record<string, string>>): string {
  const line = lineOfFields(fields);
  const entry: JournalEntry = {
    at: line.at ?? new Date(0),
    host: line.host ?? 'unknown',
    unit: line.unit ?? 'unknown',
    program: line.unit ?? 'unknown',
    pid: Number(fields._PID ?? 0) || 0,
    message: line.message.replaceAll('\n', '\\n'),
  };
  return `${formatWithUnit(entry)}\n`;
}

/** Pairs of name and value; an empty name ends an entry. */
async function* exportFields(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly [name: string, value: string]> {
  const reader = lineReader(chunks);
  for (;;) {
    const line = await reader.line();
    if (line === undefined) return;
    const equals = line.indexOf('=');
    if (line === '') yield ['', ''];
    else if (equals >= 0) yield [line.slice(0, equals), line.slice(equals + 1)];
    else yield [line, await reader.binary()];
  }
}

interface FieldReader {
  /** A line without its end, or undefined at the end of the stream. */
  line(): Promise<string | undefined>;
  /** A length-prefixed value and the newline after it. */
  binary(): Promise<string>;
}

function lineReader(chunks: AsyncIterable<Uint8Array>): FieldReader {
  let pending: Buffer = Buffer.alloc(0);
  const iterator = chunks[Symbol.asyncIterator]();

  async function more(): Promise<boolean> {
    const next = await iterator.next();
    if (next.done) return false;
    pending = pending.length === 0 ? asBuffer(next.value) : Buffer.concat([pending, next.value]);
    return true;
  }
  function take(end: number, skip: number): Buffer {
    const part = pending.subarray(0, end);
    pending = pending.subarray(Math.min(pending.length, end + skip));
    return part;
  }
  async function line(): Promise<string | undefined> {
    for (;;) {
      const end = pending.indexOf(NEWLINE);
      if (end >= 0) return take(end, 1).toString('utf8');
      if (pending.length > MAX_NAME_BYTES) return take(pending.length, 0).toString('utf8');
      if (await more()) continue;
      return pending.length === 0 ? undefined : take(pending.length, 0).toString('utf8');
    }
  }
  async function binary(): Promise<string> {
    while (pending.length < 8 && (await more()));
    if (pending.length < 8) return take(pending.length, 0).toString('utf8');
    const length = Number(take(8, 0).readBigUInt64LE());
    return await value(length);
  }
  async function value(length: number): Promise<string> {
    const kept: Buffer[] = [];
    let left = length;
    while (left > 0 && (pending.length > 0 || (await more()))) {
      const part = take(Math.min(left, pending.length), 0);
      if (length - left < MAX_VALUE_BYTES) kept.push(part);
      left -= part.length;
    }
    await line();
    return Buffer.concat(kept).toString('utf8');
  }
  return { line, binary };
}

/** One entry as `journalctl -o export` writes it. */
export function formatJournalExport(entry: JournalEntry): Buffer {
  const parts = Object.entries(fieldsOfEntry(entry)).map(([name, value]) =>
    value.includes('\n') ? binaryField(name, value) : Buffer.from(`${name}=${value}\n`),
  );
  return Buffer.concat([...parts, Buffer.from('\n')]);
}

function binaryField(name: string, value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([Buffer.from(`${name}\n`), length, bytes, Buffer.from('\n')]);
}
