import type { EvidenceLine, EvidencePlace, EvidenceSink, LinePattern } from './evidence.ts';
import type { FileKind } from './file-kind.ts';
import { decode, placed } from './line-in-place.ts';
import type { PlacedLine } from './place-line.ts';
import {
  createLineScanner,
  type LineHit,
  type LineScanner,
  type NumberedLines,
} from './scan/line-scanner.ts';
import { plainLines } from './scan/plain-lines.ts';
import { type Searchable, searchable } from './searchable.ts';
import type { SourceFile } from './source-files.ts';

/** Finds the lines that patterns ask for, in files and in text that is in memory already. */
export interface LineReader {
  read(file: SourceFile, kind: FileKind): Promise<void>;
  /** Lines from elsewhere: of a record, of an API object. */
  offer(lines: readonly string[], about: Omit<EvidenceLine, 'text'>): void;
}

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
      tellEnd(sink, file, kind, tail);
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

/** Says how a file ends, whatever patterns ask for. */
function tellEnd<P extends LinePattern>(
  sink: EvidenceSink<P>,
  file: SourceFile,
  kind: FileKind,
  tail: ReturnType<typeof createTail>,
): void {
  const all = tail.text().split('\n');
  const ending = [...all.entries()]
    .filter(([, text]) => text.trim() !== '')
    .slice(-TAIL_LINES)
    .map(([index, text]) => ({ index, text }));
  const last = ending.at(-1);
  if (!last) return;
  const { message, at } = decode(last.text, kind, tail.reference());
  const lineAt = ({ index, text }: { index: number; text: string }): EvidenceLine => {
    const hit = { text, before: () => all.slice(0, index), after: () => all.slice(index + 1) };
    const { message, ...about } = placed(hit, kind, tail.reference());
    return { ...about, text: message, file: file.name, line: tail.numberOf(index) };
  };
  const lines = () => (tail.isWhole() ? ending.map(lineAt) : []);
  sink.onEnd?.({
    file: file.name,
    text: message,
    at,
    tail: ending.map(({ text }) => text),
    lines,
  });
}

/** A date with its year, where a line begins with one or a program says the time. */
const DATED = /(?:^|time="|^-- .*?)(20\d\d-\d\d-\d\d)[T ]\d\d:\d\d/m;
const HALF_A_YEAR = 182 * 86_400_000;

/** Keeps the beginning and the end of what passes, and the first date with a year. */
function createTail(now: Date) {
  let kept: Buffer = Buffer.alloc(0);
  let reference: Date | undefined;
  let start: string | undefined;
  let isWhole = true;
  /** Of lines that were made from those of the file. */
  const numbers: number[] = [];
  return {
    async *watch<T extends Buffer | NumberedLines>(blocks: AsyncIterable<T>): AsyncGenerator<T> {
      for await (const block of blocks) {
        const chunk = Buffer.isBuffer(block) ? block : block.bytes;
        reference ??= referenceIn(chunk, now);
        start ??= chunk.toString('utf8', 0, TAIL_BYTES);
        const end = chunk.subarray(-TAIL_BYTES);
        isWhole &&= kept.length + chunk.length <= TAIL_BYTES;
        if (isWhole && !Buffer.isBuffer(block)) numbers.push(...block.numbers);
        // Most chunks are longer than what is kept: nothing of them is copied.
        kept =
          end.length === TAIL_BYTES
            ? end
            : Buffer.concat([kept.subarray(end.length - TAIL_BYTES), end]);
        yield block;
      }
    },
    /** In plain characters, as the lines that rules see. */
    text: (): string => plainLines(kept).toString('utf8'),
    /** The number that a line of a whole text has in its file. */
    numberOf: (index: number): number => numbers[index] ?? index + 1,
    /** Whether what is kept is all there was. */
    isWhole: (): boolean => isWhole,
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
