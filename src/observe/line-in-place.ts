import { ANYWHERE, type FileKind, type Format } from './file-kind.ts';
import { decodeLogrus, decodeOcMirror, decodePlain } from './formats/installer-log.ts';
import { decodeJournalJson } from './formats/journal-json.ts';
import { decodeJournalText } from './formats/journal-text.ts';
import type { LineDecoder, LogLine } from './formats/log-line.ts';
import { decodeOwnEvent } from './formats/own-journal.ts';
import { originsBelow, type PlacedLine, PROMPT, placeLine } from './place-line.ts';
import type { LineHit } from './scan/line-scanner.ts';

const DECODERS: Readonly<Record<Format, LineDecoder>> = {
  journal: decodeJournalText,
  'journal-json': decodeJournalJson,
  'journal-export': decodeJournalText,
  'journal-fields': decodeJournalText,
  'journal-list': decodeJournalText,
  logrus: decodeLogrus,
  'oc-mirror': decodeOcMirror,
  'own-events': decodeOwnEvent,
  plain: decodePlain,
  record: decodePlain,
  'objects-json': decodePlain,
  'objects-yaml': decodePlain,
};

type LineInPlace = Pick<LineHit, 'text' | 'before'> & Partial<Pick<LineHit, 'after'>>;

/** What is known of a file by its place holds for all its lines; else each line tells, or those before it. */
export function placed(hit: LineInPlace, kind: FileKind, reference: Date): PlacedLine {
  if (!kind.guessed && kind.origins.length > 0) {
    return { ...DECODERS[kind.format](hit.text, reference), origins: kind.origins };
  }
  const line = placeLine(hit.text, kind, reference);
  if (line.origins.length > 0) {
    const whole = continued(line, hit, kind, reference);
    return isTyped(whole) ? { ...whole, lead: leadOf(hit.before()) } : whole;
  }
  const origins = kind.guessed
    ? inherited(hit, kind, reference)
    : [`journal:${kind.machine ?? 'node'}/unknown`];
  const before = hit.before();
  const message = unfolded(hit, before) ?? line.message;
  return { ...line, message, origins, lead: leadOf(before) };
}

const KEY = /^\s*(?:- )?[a-z][\w./-]*: +\S/i;
/** A quoted value that its own line does not close: what follows is part of it, though it may look like a key. */
const OPEN_QUOTE = /^\s*(?:- )?[a-z][\w./-]*: +(['"])(?!.*\1\s*$)/i;
const indentOf = (line: string): number => line.search(/\S|$/);

/** A long value of YAML is folded into lines of one indentation below its key: they read as one. */
function unfolded({ text, after }: LineInPlace, before: readonly string[]): string | undefined {
  const indent = indentOf(text);
  const start = before.findLastIndex((line) => indentOf(line) !== indent);
  const key = before[start] ?? '';
  const isOther = (line: string) => !OPEN_QUOTE.test(key) && KEY.test(line);
  if (indent === 0 || indentOf(key) >= indent || !KEY.test(key) || isOther(text)) return undefined;
  const rest = after?.() ?? [];
  const end = rest.findIndex((line) => indentOf(line) !== indent || isOther(line));
  return [...before.slice(start), text, ...rest.slice(0, Math.max(0, end))]
    .map((line) => line.trim())
    .join(' ');
}

/** A registry's errors, one in a line each, below the line that says whose they are. */
const ERROR_OF_LIST = /^[a-z][a-z ]{2,40}: \S/;

function headOfList(before: readonly string[]): string | undefined {
  const start = before.findLastIndex((line) => !ERROR_OF_LIST.test(line));
  return /\berrors:\s*$/.test(before[start] ?? '') ? before[start] : undefined;
}

const CURL_VERBOSE = /^[<*{}] /;

/** What a line may go on with: the command that was typed, which names the other end, and the line before. */
function leadOf(before: readonly string[]): string | undefined {
  const command = before.findLast((line) => PROMPT.test(line));
  const last = headOfList(before) ?? before.findLast((line) => !CURL_VERBOSE.test(line));
  return command === undefined || command === last ? last : `${command} ${last}`;
}

/** What a command says on a terminal: the one that was typed stands above it. */
const isTyped = ({ origins }: PlacedLine): boolean => origins[0] === 'cli:oc';

const INDENTED = /^\s{2,}/;

/** Programs indent what goes on with the line before: together they read as one. */
function continued(
  line: PlacedLine,
  hit: LineInPlace,
  kind: FileKind,
  reference: Date,
): PlacedLine {
  const { message: text } = line;
  if (!INDENTED.test(text)) return line;
  const before = hit.before().map((one) => placeLine(one, kind, reference).message);
  const start = before.findLastIndex((one) => !INDENTED.test(one) && one !== 'Caused by:');
  if (start < 0) return line;
  const message = [...before.slice(start), text].map((one) => one.trim()).join(' ');
  return { ...line, message };
}

/** A line that tells nothing most often goes on with what the line before it began. */
function inherited(hit: LineInPlace, kind: FileKind, reference: Date): readonly string[] {
  for (const line of hit.before().toReversed()) {
    const typed = originsBelow(line);
    if (typed) return typed;
    if (line.trim() === '' || PROMPT.test(line)) break;
    const { origins } = placeLine(line, kind, reference);
    if (origins.length > 0) return origins.includes(ANYWHERE) ? origins : [...origins, ANYWHERE];
  }
  return kind.origins.length > 0 ? kind.origins : [ANYWHERE];
}

/** A line by itself, without those around it. */
export function decode(line: string, kind: FileKind, reference: Date): LogLine {
  return kind.guessed ? placeLine(line, kind, reference) : DECODERS[kind.format](line, reference);
}
