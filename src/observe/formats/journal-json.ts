import { type JournalEntry, unitOf } from './journal-text.ts';
import type { LogLine } from './log-line.ts';

/** One line of `journalctl -o json`: an object with the journal's own field names. */
export function decodeJournalJson(raw: string): LogLine {
  try {
    return lineOfFields(JSON.parse(raw.replace(BEFORE_ENTRY, '')) as Record<string, unknown>);
  } catch {
    // A line cut off by the end of the file is still worth reading as text.
    return { message: raw };
  }
}

/** What marks an entry in `-o json-seq` and in `-o json-sse`. */
const BEFORE_ENTRY = /^(?:\p{Cc}+|data: ?)(?=\{)/u;

/** Whether a line is an entry of a journal as JSON, in any of the forms with one in a line. */
export const isJournalJson = (line: string): boolean =>
  /^(?:\p{Cc}+|data: ?)?\{.*"__REALTIME_TIMESTAMP"/u.test(line);

/** Messages with colours come as lists of bytes, which no search for text can see: makes them text. */
export async function* withTextMessages(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const block of blocks) {
    if (!BYTES.some((mark) => block.includes(mark))) yield block;
    else yield Buffer.from(block.toString('utf8').split('\n').map(withTextMessage).join('\n'));
  }
}

/** As systemd, older ones and most programs that write JSON anew space it. */
const BYTES = ['"MESSAGE":[', '"MESSAGE": [', '"MESSAGE" : ['];

function withTextMessage(raw: string): string {
  if (!BYTES.some((mark) => raw.includes(mark))) return raw;
  try {
    const fields = JSON.parse(raw.replace(BEFORE_ENTRY, '')) as Record<string, unknown>;
    return JSON.stringify({ ...fields, MESSAGE: textOf(fields.MESSAGE) });
  } catch {
    return raw;
  }
}

/** What a Date can hold. */
const LATEST_MICROS = 8.64e18;

/** What journal fields say, whatever form they came in. */
export function lineOfFields(fields: Readonly<Record<string, unknown>>): LogLine {
  const micros = Number(textOf(fields.__REALTIME_TIMESTAMP) ?? Number.NaN);
  const unit = textOf(fields._SYSTEMD_UNIT) ?? textOf(fields.UNIT);
  const program = textOf(fields.SYSLOG_IDENTIFIER) ?? textOf(fields._COMM);
  const owner = unit && !unit.endsWith('.scope') && unit !== 'init.scope' ? unit : program;
  return {
    message: textOf(fields.MESSAGE) ?? '',
    at: Math.abs(micros) <= LATEST_MICROS ? new Date(micros / 1000) : undefined,
    host: textOf(fields._HOSTNAME),
    unit: owner === undefined ? undefined : unitOf(owner),
  };
}

/** Text, the list of its bytes when it is not printable, or one of several values. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  if (value.every((item) => typeof item === 'number')) return Buffer.from(value).toString('utf8');
  return textOf(value[0]);
}

/** Fields as the journal holds them, for both machine-readable forms. */
export function fieldsOfEntry(entry: JournalEntry): Record<string, string> {
  return {
    __REALTIME_TIMESTAMP: String(entry.at.getTime() * 1000),
    _HOSTNAME: entry.host,
    SYSLOG_IDENTIFIER: entry.program,
    _PID: String(entry.pid),
    _SYSTEMD_UNIT: entry.unit,
    MESSAGE: entry.message,
  };
}

export function formatJournalJson(entry: JournalEntry): string {
  return JSON.stringify(fieldsOfEntry(entry));
}
