import { wholeLines } from '../scan/line-scanner.ts';
import { textOfFields } from './journal-export.ts';

/**
 * The forms of `journalctl` with one field to a line: `-o verbose` (a head with the time, then `    NAME=value`) and
 * `-o json-pretty` (`\t"NAME" : "value",` between braces).
 */
const VERBOSE_HEAD = /^[A-Z][a-z]{2} (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)? \S+ \[s=/;
const VERBOSE_FIELD = /^\s+([A-Z_][A-Z0-9_]*)=(.*)$/;
const PRETTY_FIELD = /^\s+"([A-Z_][A-Z0-9_]*)"\s*:\s*(.*?),?\s*$/;

export function isJournalFields(head: string): boolean {
  return (
    /^[A-Z][a-z]{2} \d{4}-\d\d-\d\d \S+ \S+ \[s=.*\n\s+[A-Z_]+=/m.test(head) ||
    /^\p{Cc}?\{\s*\n\s+"(?:__CURSOR|[A-Z_]+)"\s*:/mu.test(head)
  );
}

/** Where an entry ends: the next one, or whatever else begins at the margin. */
const MARGIN = /^(?:[^\s\p{Cc}]|\p{Cc}[{}])/u;
/** What is of no entry: another command that was pasted beside the journal. */
const BESIDE = /^[^\s\p{Cc}{}[\]]/u;

/** One line with its unit for each entry; what stands beside them stays as it is. */
export async function* journalFieldsAsText(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let fields: Record<string, unknown> = {};
  for await (const block of wholeLines(chunks)) {
    const lines: string[] = [];
    for (const line of block.toString('utf8').split('\n')) {
      if (MARGIN.test(line)) {
        lines.push(ofEntry(fields));
        fields = {};
      }
      const isHead = VERBOSE_HEAD.exec(line);
      if (isHead)
        fields.__REALTIME_TIMESTAMP = String(Date.parse(`${isHead[1]}T${isHead[2]}Z`) * 1000);
      else if (BESIDE.test(line)) lines.push(`${line}\n`);
      else addField(fields, line);
    }
    yield Buffer.from(lines.join(''));
  }
  yield Buffer.from(ofEntry(fields));
}

const ofEntry = (fields: Readonly<Record<string, unknown>>): string =>
  Object.keys(fields).length > 0 ? textOfFields(fields) : '';

function addField(fields: Record<string, unknown>, line: string): void {
  const [, name, value] = VERBOSE_FIELD.exec(line) ?? [];
  if (name !== undefined) fields[name] ??= value;
  const [, key, json = ''] = PRETTY_FIELD.exec(line) ?? [];
  if (key !== undefined) fields[key] = parsed(json);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
