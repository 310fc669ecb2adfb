import type { NumberedLines } from '../scan/line-scanner.ts';
import { textOfFields } from './journal-export.ts';
import { jsonObjects, parseObject } from './objects.ts';

/** A journal as one JSON list, as `jq -s` and programs that collect logs write it. */
export function isJournalList(head: string): boolean {
  return (
    /^\s*\[\s*\{/.test(head) &&
    /"(?:__REALTIME_TIMESTAMP|__CURSOR|_SYSTEMD_UNIT|SYSLOG_IDENTIFIER)"\s*:/.test(head)
  );
}

/** An entry is small; a list that holds anything larger holds none. */
const MAX_ENTRY_BYTES = 4 * 1024 * 1024;
/** So many lines together, that those before one are at hand and each batch is worth a search. */
const BATCH = 500;

/** One line with its unit for each entry, with the line of the file that the entry begins in. */
export async function* journalListAsText(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<NumberedLines> {
  let lines: string[] = [];
  let numbers: number[] = [];
  function take(): NumberedLines {
    const taken = { bytes: Buffer.from(lines.join('')), numbers };
    lines = [];
    numbers = [];
    return taken;
  }
  for await (const raw of jsonObjects(chunks, MAX_ENTRY_BYTES)) {
    const fields = parseObject(raw, 'json');
    if (!fields) continue;
    lines.push(textOfFields(fields));
    numbers.push(raw.line);
    if (lines.length >= BATCH) yield take();
  }
  yield take();
}
