import { type NumberedLines, wholeLines } from '../scan/line-scanner.ts';
import { MAX_VALUE_BYTES, textOfFields } from './journal-export.ts';
import { offsetOf } from './zones.ts';

/**
 * The forms of `journalctl` with one field to a line: `-o verbose` (a head with the time, then `    NAME=value`) and
 * `-o json-pretty` (`\t"NAME" : "value",` between braces).
 */
const VERBOSE_HEAD = /^[A-Z][a-z]{2} (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)? (\S+) \[s=/;
const VERBOSE_FIELD = /^\s+([A-Z_][A-Z0-9_]*)=(.*)$/;
const PRETTY_FIELD = /^\s+"([A-Z_][A-Z0-9_]*)"\s*:\s*(.*?),?\s*$/;
/** A value that has its end in another line. */
const PRETTY_LIST = /^\s+"([A-Z_][A-Z0-9_]*)"\s*:\s*\[\s*$/;

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
): AsyncGenerator<NumberedLines> {
  const reader = createFieldReader();
  for await (const block of wholeLines(chunks)) {
    for (const line of block.toString('utf8').replace(/\n$/, '').split('\n')) reader.push(line);
    yield reader.take();
  }
  reader.endEntry();
  yield reader.take();
}

function createFieldReader() {
  let fields: Record<string, unknown> = {};
  /** A value that goes on over several lines: a list with one byte in each. */
  let list: { readonly name: string; text: string } | undefined;
  /** The line of the file that is being read, and the one of the message of the entry under way. */
  let line = 0;
  let number = 0;
  let lines: string[] = [];
  let numbers: number[] = [];

  function add(text: string, at: number): void {
    if (text === '') return;
    lines.push(text);
    numbers.push(at);
  }
  function endList(): void {
    // What was cut is a list, too, as far as it goes.
    if (list) fields[list.name] = parsed(`${list.text.replace(/[,\s]*$/, '')}]`);
    list = undefined;
  }
  /** Says whether a line was part of a list. */
  function addToList(text: string): boolean {
    if (!list) {
      const [, name] = PRETTY_LIST.exec(text) ?? [];
      if (name !== undefined) list = { name, text: '[' };
      return name !== undefined;
    }
    if (/^\s*\]/.test(text)) endList();
    else if (list.text.length < MAX_VALUE_BYTES) list.text += text.trim();
    return true;
  }
  function endEntry(): void {
    endList();
    add(ofEntry(fields), number);
    fields = {};
  }
  function push(text: string): void {
    line += 1;
    if (MARGIN.test(text)) endEntry();
    const head = VERBOSE_HEAD.exec(text);
    const isFirstMessage = isMessage(text) && fields.MESSAGE === undefined;
    if (head || isFirstMessage || Object.keys(fields).length === 0) number = line;
    if (head) fields.__REALTIME_TIMESTAMP = microsOf(head);
    else if (BESIDE.test(text)) add(`${text}\n`, line);
    else if (!addToList(text)) addField(fields, text);
  }
  function take(): NumberedLines {
    const taken = { bytes: Buffer.from(lines.join('')), numbers };
    lines = [];
    numbers = [];
    return taken;
  }
  return { push, endEntry, take };
}

const microsOf = ([, day, time, zone = '']: RegExpExecArray): string =>
  String(Date.parse(`${day}T${time}${offsetOf(zone)}`) * 1000);

const isMessage = (text: string): boolean => /^\s+(?:MESSAGE=|"MESSAGE")/.test(text);

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
