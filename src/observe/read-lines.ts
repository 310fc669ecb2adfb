import type { EvidenceLine, EvidencePlace, EvidenceSink, LinePattern } from './evidence.ts';
import { ANYWHERE, type FileKind, type Format } from './file-kind.ts';
import { decodeLogrus, decodeOcMirror, decodePlain } from './formats/installer-log.ts';
import { decodeJournalJson } from './formats/journal-json.ts';
import { decodeJournalText } from './formats/journal-text.ts';
import type { LineDecoder, LogLine } from './formats/log-line.ts';
import { decodeOwnEvent } from './formats/own-journal.ts';
import { originsBelow, type PlacedLine, PROMPT, placeLine } from './place-line.ts';
import {
  createLineScanner,
  type LineHit,
  type LineScanner,
  type NumberedLines,
} from './scan/line-scanner.ts';
import { type Searchable, searchable } from './searchable.ts';
import type { SourceFile } from './source-files.ts';

/** Finds the lines that patterns ask for, in files and in text that is in memory already. */
export interface LineReader {
  read(file: SourceFile, kind: FileKind): Promise<void>;
  /** Lines from elsewhere: of a record, of an API object. */
  offer(lines: readonly string[], about: Omit<EvidenceLine, 'text'>): void;
}

const DECODERS: Readonly<Record<Format, LineDecoder>> = {
  journal: decodeJournalText,
  'journal-json': decodeJournalJson,
  'journal-export': decodeJournalText,
  'journal-fields': decodeJournalText,
  logrus: decodeLogrus,
  'oc-mirror': decodeOcMirror,
  'own-events': decodeOwnEvent,
  plain: decodePlain,
  record: decodePlain,
  'objects-json': decodePlain,
  'objects-yaml': decodePlain,
};

/** As much of the end of a file as surely holds a line with a time. */
const TAIL_BYTES = 16 * 1024;
/** As many as people read at the end of a log. */
const TAIL_LINES = 60;

/** `now` bounds the dates without a year of files that tell of none. */
export function createLineReader<P extends LinePattern>(
  sink: EvidenceSink<P>,
  now: Date,
): LineReader {
  const chosen = createChooser(sink.patterns);
  const applies = createApplies<P>();
  return {
    async read(file, kind) {
      const patterns = chosen.forFile(kind);
      const sources = patterns.map(({ pattern }) => pattern);
      const scanner = createLineScanner(sources, kind.format === 'own-events');
      const tail = createTail(now);
      const lines = await searchable(file.content, kind, now);
      for await (const hits of scanned(scanner, tail, lines)) {
        for (const hit of hits) {
          if (sink.isWorth?.(hit.text) === false) continue;
          const line = placed(hit, kind, tail.reference());
          tell(sink, file, hit, line, patterns, applies);
        }
      }
      const ending = tail
        .text()
        .split('\n')
        .filter((line) => line.trim() !== '');
      const text = ending.at(-1);
      if (text !== undefined) {
        const { message, at } = decode(text, kind, tail.reference());
        sink.onEnd?.({ file: file.name, text: message, at, tail: ending.slice(-TAIL_LINES) });
      }
      const timeOf = (line: string) => decode(line, kind, tail.reference()).at;
      const last = firstTimeIn(tail.text().split('\n').toReversed(), timeOf);
      if (last) sink.onTime(last, firstTimeIn(tail.start().split('\n'), timeOf) ?? last);
    },
    offer(lines, about) {
      const patterns = chosen.forOrigins(about.origins);
      if (patterns.length === 0) return;
      for (const text of lines) if (text) sink.onLine({ ...about, text }, patterns);
    },
  };
}

/** A date with its year, where a line begins with one or a program says the time. */
const DATED = /(?:^|time="|^-- .*?)(20\d\d-\d\d-\d\d)[T ]\d\d:\d\d/m;
const HALF_A_YEAR = 182 * 86_400_000;

/** Keeps the beginning and the end of what passes, and the first date with a year. */
function createTail(now: Date) {
  let kept: Buffer = Buffer.alloc(0);
  let reference: Date | undefined;
  let start: string | undefined;
  return {
    async *watch<T extends Buffer | NumberedLines>(blocks: AsyncIterable<T>): AsyncGenerator<T> {
      for await (const block of blocks) {
        const chunk = Buffer.isBuffer(block) ? block : block.bytes;
        reference ??= referenceIn(chunk, now);
        start ??= chunk.toString('utf8', 0, TAIL_BYTES);
        const end = chunk.subarray(-TAIL_BYTES);
        kept = Buffer.concat([kept.subarray(end.length - TAIL_BYTES), end]);
        yield block;
      }
    },
    text: (): string => kept.toString('utf8'),
    start: (): string => start ?? '',
    reference: (): Date => reference ?? now,
  };
}

function referenceIn(chunk: Buffer, now: Date): Date {
  const [, day] = DATED.exec(chunk.toString('latin1', 0, TAIL_BYTES)) ?? [];
  return day === undefined ? now : new Date(Date.parse(day) + HALF_A_YEAR);
}

function firstTimeIn(
  lines: readonly string[],
  timeOf: (line: string) => Date | undefined,
): Date | undefined {
  for (const line of lines) {
    const at = line === '' ? undefined : timeOf(line);
    if (at) return at;
  }
  return undefined;
}

const scanned = (
  scanner: LineScanner,
  tail: ReturnType<typeof createTail>,
  lines: Searchable,
): AsyncGenerator<readonly LineHit[]> =>
  'made' in lines
    ? scanner.scanNumbered(tail.watch(lines.made))
    : scanner.scan(tail.watch(lines.chunks));

/** Lists of origins come back again and again, and asking each pattern costs more than matching it. */
function createApplies<P extends LinePattern>() {
  const known = new WeakMap<readonly string[], Map<P, boolean>>();
  return (pattern: P, origins: readonly string[]): boolean => {
    let answers = known.get(origins);
    if (!answers) {
      answers = new Map();
      known.set(origins, answers);
    }
    let answer = answers.get(pattern);
    if (answer === undefined) {
      answer = origins.some((one) => pattern.appliesTo(one));
      answers.set(pattern, answer);
    }
    return answer;
  };
}

function tell<P extends LinePattern>(
  sink: EvidenceSink<P>,
  file: SourceFile,
  hit: LineHit,
  { origins, message, at, host, lead }: PlacedLine,
  patterns: readonly P[],
  applies: (pattern: P, origins: readonly string[]) => boolean,
): void {
  const candidates: P[] = [];
  // In the order they were given: where two say the same, the first speaks.
  for (const index of [...hit.patterns].toSorted((a, b) => a - b)) {
    const pattern = patterns[index];
    if (pattern && applies(pattern, origins)) candidates.push(pattern);
  }
  if (candidates.length === 0) return;
  const place: EvidencePlace = { file: file.name, line: hit.line };
  sink.onLine({ ...place, text: message, origins, at, host, lead }, candidates);
}

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

function decode(line: string, kind: FileKind, reference: Date): LogLine {
  return kind.guessed ? placeLine(line, kind, reference) : DECODERS[kind.format](line, reference);
}

/** Which patterns a file can ask for. */
function createChooser<P extends LinePattern>(all: readonly P[]) {
  const known = new Map<string, readonly P[]>();
  const ofJournals = all.filter(({ where }) =>
    where.some((one) => /^(?:journal:|console:|\*$)/.test(one)),
  );

  function forOrigins(origins: readonly string[]): readonly P[] {
    const key = origins.join('\n');
    const seen = known.get(key);
    if (seen) return seen;
    const patterns = all.filter(({ appliesTo }) => origins.some(appliesTo));
    if (known.size > 10_000) known.clear();
    known.set(key, patterns);
    return patterns;
  }

  return {
    forOrigins,
    /** A journal of many units says line by line where it comes from. */
    forFile: ({ origins, guessed }: FileKind) => {
      if (guessed) return all;
      return origins.length > 0 ? forOrigins(origins) : ofJournals;
    },
  };
}
