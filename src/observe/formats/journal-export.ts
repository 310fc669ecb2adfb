import { asBuffer } from '../../core/archive/byte-source.ts';
import type { NumberedLines } from '../scan/line-scanner.ts';
import { fieldsOfEntry, lineOfFields } from './journal-json.ts';
import { formatWithUnit, type JournalEntry } from './journal-text.ts';

/**
 * The journal export format (`journalctl -o export`, systemd-journal-gatewayd): fields one per line,
 * entries apart by an empty line, and values with a newline as name, 64-bit length, bytes.
 */
/** Longer values and lines are skipped: core dumps are kept in the journal, too. */
export const MAX_VALUE_BYTES = 1024 * 1024;
const WANTED = new Set([
  '__REALTIME_TIMESTAMP',
  '_HOSTNAME',
  '_SYSTEMD_UNIT',
  'UNIT',
  'SYSLOG_IDENTIFIER',
  '_COMM',
  '_PID',
  'MESSAGE',
]);

export function isJournalExport(head: string): boolean {
  return /^(?:__CURSOR|__REALTIME_TIMESTAMP|__MONOTONIC_TIMESTAMP|__SEQNUM)=/.test(head);
}

/**
 * Rewrites an export as text lines with units, one per entry, so that one scanner reads both. Bytes are
 * handled as latin1 throughout: one conversion per chunk is many times cheaper than one per field.
 */
export async function* journalExportAsText(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<NumberedLines> {
  const parser = createExportParser();
  for await (const chunk of chunks) {
    const lines = parser.push(asBuffer(chunk).toString('latin1'));
    if (lines.length > 0) yield numbered(lines);
  }
  const rest = parser.end();
  if (rest.length > 0) yield numbered(rest);
}

/** An entry as one line, and where in the file its message stands. */
interface EntryLine {
  readonly text: string;
  readonly number: number;
}

const numbered = (lines: readonly EntryLine[]): NumberedLines => ({
  bytes: Buffer.from(lines.map(({ text }) => text).join(''), 'latin1'),
  numbers: lines.map(({ number }) => number),
});

function newlinesIn(text: string, from: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < end; count += 1)
    at = text.indexOf('\n', at + 1);
  return count;
}

/** Takes text cut anywhere and gives the lines of the entries that are whole. */
function createExportParser() {
  let pending = '';
  let skip = 0;
  /** Whether the line under way is too long to be kept: the rest of it is no field. */
  let isDropping = false;
  let fields: Record<string, string> | undefined;
  let lines: EntryLine[] = [];
  /** The line of the file that is being read, and the one of the message of the entry under way. */
  let line = 1;
  let number = 1;

  function endEntry(): void {
    if (fields) lines.push({ text: textOfFields(fields), number });
    fields = undefined;
  }

  function keep(name: string, value: string): void {
    if (!fields || name === 'MESSAGE') number = line;
    fields ??= {};
    if (WANTED.has(name)) fields[name] = value;
  }

  /** Reads one field or the end of an entry; gives where the next begins, or -1 when more is needed. */
  function next(data: string, at: number): number {
    const end = data.indexOf('\n', at);
    if (end < 0) {
      isDropping ||= data.length - at > MAX_VALUE_BYTES;
      return isDropping ? data.length : -1;
    }
    if (isDropping) {
      isDropping = false;
      return end + 1;
    }
    if (end === at) {
      endEntry();
      return end + 1;
    }
    const field = data.slice(at, end);
    const equals = field.indexOf('=');
    if (equals < 0) return binary(data, field, end + 1);
    keep(field.slice(0, equals), field.slice(equals + 1));
    return end + 1;
  }

  /** A value with its length in front, lowest byte first, and a newline behind. */
  function binary(data: string, name: string, at: number): number {
    if (data.length < at + 8) return -1;
    const bytes = Buffer.from(data.slice(at, at + 8), 'latin1');
    const length = Number(bytes.readBigUInt64LE());
    const start = at + 8;
    if (!WANTED.has(name) || length > MAX_VALUE_BYTES) {
      skip = length + 1;
      return start;
    }
    if (data.length < start + length + 1) return -1;
    keep(name, data.slice(start, start + length));
    return start + length + 1;
  }

  function push(chunk: string): readonly EntryLine[] {
    const data = pending + chunk;
    let at = 0;
    const moveTo = (end: number) => {
      line += newlinesIn(data, at, end);
      at = end;
    };
    for (;;) {
      const skipped = Math.min(skip, data.length - at);
      moveTo(at + skipped);
      skip -= skipped;
      const following = skip > 0 || at >= data.length ? -1 : next(data, at);
      if (following < 0) break;
      moveTo(following);
    }
    pending = data.slice(at);
    return take();
  }

  function take(): readonly EntryLine[] {
    const taken = lines;
    lines = [];
    return taken;
  }

  function end(): readonly EntryLine[] {
    endEntry();
    return take();
  }
  return { push, end };
}

/** The entry as one line with its unit. */
export function textOfFields(fields: Readonly<Record<string, unknown>>): string {
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
