import { asBuffer } from '../../core/archive/byte-source.ts';
import { createLiteralMatcher, type LiteralHit, type LiteralMatcher } from './literal-matcher.ts';
import { type LiteralClause, literalClauses, SHORTEST_LITERAL } from './literals.ts';
import { plainLines } from './plain-lines.ts';

/** A line without an end is cut here, so that memory stays flat whatever comes. */
const LONGEST_LINE = 1024 * 1024;
/**
 * Of a longer one only the surroundings of what was found are looked at, with its beginning, which says who
 * wrote it and when. Patterns with two gaps would take minutes for a line of a megabyte.
 */
export const LONGEST_TEXT = 8 * 1024;
const BEFORE_HIT = 2 * 1024;
const HEAD = 512;
const NEWLINE = 10;

/** A line that holds a literal of some patterns: they are worth running, the others are not. */
export interface LineHit {
  readonly line: number;
  readonly text: string;
  /** Indices of the patterns. */
  readonly patterns: ReadonlySet<number>;
  /** A few lines that stand before it, as far as they are at hand. */
  before(): readonly string[];
  /** A few lines that stand behind it, likewise. */
  after(): readonly string[];
}

/** Whole lines that were made from those of a file, and for each the one of the file that it stands for. */
export interface NumberedLines {
  readonly bytes: Buffer;
  readonly numbers: readonly number[];
}

export interface LineScanner {
  /** All hits in order, one batch per chunk of input. */
  scan(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly LineHit[]>;
  scanNumbered(blocks: AsyncIterable<NumberedLines>): AsyncGenerator<readonly LineHit[]>;
}

const MAX_KEPT = 256;
const kept = new Map<string, LineScanner>();

/** A pattern that may match where its literal is found, if what else it needs is there, too. */
interface Candidate extends Pick<LiteralClause, 'and' | 'not'> {
  readonly pattern: number;
  /** What the message begins with. */
  readonly start?: string;
}

/**
 * A scanner for patterns given as sources of regular expressions. `isReworded`: lines will be put into other words
 * before they are matched, so only the literals themselves must be there. Scanners hold no state: they are kept.
 */
export function createLineScanner(patterns: readonly string[], isReworded = false): LineScanner {
  const key = [isReworded, ...patterns].join('\n');
  const scanner = kept.get(key) ?? makeScanner(patterns, isReworded);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, scanner);
  return scanner;
}

function makeScanner(patterns: readonly string[], isReworded: boolean): LineScanner {
  const candidates = new Map<string, Candidate[]>();
  for (const [pattern, source] of patterns.entries()) {
    const clauses = literalClauses(source, SHORTEST_LITERAL);
    if (!clauses) throw new Error(`No literal to look for in /${source}/`);
    for (const { literal, and, not, atStart } of clauses) {
      const start = atStart ? { start: literal } : {};
      const candidate = isReworded
        ? { pattern, and: [], not: [] }
        : { pattern, and, not, ...start };
      candidates.set(literal, [...(candidates.get(literal) ?? []), candidate]);
    }
  }
  if (candidates.size === 0) return { scan: nothing, scanNumbered: nothing };
  const search = {
    matcher: createLiteralMatcher([...candidates.keys()]),
    candidates: [...candidates.values()],
  };
  return {
    scan: (chunks) => scanLines(chunks, search),
    scanNumbered: (blocks) => scanNumbered(blocks, search),
  };
}

async function* nothing(): AsyncGenerator<readonly LineHit[]> {}

/** What is looked for: the literals, and for each the patterns that hold it. */
interface Search {
  readonly matcher: LiteralMatcher;
  readonly candidates: readonly (readonly Candidate[])[];
}

async function* scanLines(
  chunks: AsyncIterable<Uint8Array>,
  search: Search,
): AsyncGenerator<readonly LineHit[]> {
  const counter = { line: 1 };
  for await (const block of wholeLines(chunks)) {
    const hits = hitsIn(plainLines(block), search, counter);
    if (hits.length > 0) yield hits;
  }
}

async function* scanNumbered(
  blocks: AsyncIterable<NumberedLines>,
  search: Search,
): AsyncGenerator<readonly LineHit[]> {
  for await (const { bytes, numbers } of blocks) {
    const hits = hitsIn(plainLines(bytes), search, { line: 1 });
    if (hits.length > 0)
      yield hits.map((hit) => ({ ...hit, line: numbers[hit.line - 1] ?? hit.line }));
  }
}

/**
 * Cuts the stream at ends of lines: each block holds whole lines. A last line without its end comes with those
 * before it, as it was pasted.
 */
export async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let block: Buffer = Buffer.alloc(0);
  let end = 0;
  for await (const chunk of chunks) {
    if (end > 0) yield block.subarray(0, end);
    const rest = block.subarray(end);
    block = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk]);
    end = block.lastIndexOf(NEWLINE) + 1 || (block.length > LONGEST_LINE ? block.length : 0);
  }
  if (block.length > 0) yield block;
}

function hitsIn(block: Buffer, search: Search, counter: { line: number }): LineHit[] {
  const hits: LineHit[] = [];
  let counted = 0;
  const countTo = (end: number) => {
    counter.line += newlinesIn(block, counted, end);
    counted = end;
  };
  for (let from = 0; ; ) {
    const first = search.matcher.find(block, from, block.length);
    if (!first) break;
    const line = block.lastIndexOf(NEWLINE, first.at) + 1;
    const { start, end } = pieceAt(first.at, line, endOfLine(block, first.at));
    const patterns = patternsOf(candidatesIn(block, first, end, search), block, line, start, end);
    from = end;
    if (patterns.size === 0) continue;
    const head = start > line ? `${textOf(block, line, headEnd(line, start))} … ` : '';
    const text = head + textOf(block, start, end);
    countTo(line);
    hits.push({
      line: counter.line,
      text,
      patterns,
      before: () => linesBefore(block, line),
      after: () => linesAfter(block, end),
    });
  }
  countTo(block.length);
  return hits;
}

const linesBefore = (block: Buffer, line: number): string[] =>
  block
    .toString('utf8', Math.max(0, line - BEFORE_HIT), line)
    .split('\n')
    .slice(0, -1);

const linesAfter = (block: Buffer, end: number): string[] =>
  block.toString('utf8', end + 1, end + 1 + BEFORE_HIT).split('\n');

const headEnd = (line: number, start: number): number => Math.min(line + HEAD, start);

/** The patterns of which all is there. */
function patternsOf(
  candidates: readonly Candidate[],
  block: Buffer,
  line: number,
  start: number,
  end: number,
): Set<number> {
  const patterns = new Set<number>();
  let seen: SeenLine | undefined;
  for (const candidate of candidates) {
    const { pattern, and, not, start: begins } = candidate;
    if (patterns.has(pattern)) continue;
    if (begins !== undefined || and.length > 0 || not.length > 0) {
      seen ??= { text: lowerCased(block, line, start, end), goesOn: undefined };
      if (!mayMatch(candidate, seen)) continue;
    }
    patterns.add(pattern);
  }
  return patterns;
}

interface SeenLine {
  readonly text: string;
  goesOn: boolean | undefined;
}

/** A line that goes on with another is not held to all: that one may have the rest. */
function mayMatch({ and, not, start }: Candidate, seen: SeenLine): boolean {
  if (start !== undefined && !beginsWith(seen.text, start)) return false;
  if (!holdsAll(seen.text, and)) {
    seen.goesOn ??= goesOn(seen.text);
    if (!seen.goesOn) return false;
  }
  return !holdsOne(seen.text, not);
}

const lowerCased = (block: Buffer, line: number, start: number, end: number): string => {
  const head = start > line ? block.toString('latin1', line, headEnd(line, start)) : '';
  return (head + block.toString('latin1', start, end)).toLowerCase();
};

/** Whether it stands where a message may begin: behind a time, a mark or a quote, but not in a word, path or name. */
function beginsWith(text: string, start: string): boolean {
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1))
    if (at === 0 || !/[\w./-]/.test(text[at - 1] ?? '')) return true;
  return false;
}

function holdsAll(text: string, sets: LiteralClause['and']): boolean {
  for (const set of sets) if (!holdsOne(text, set)) return false;
  return true;
}

function holdsOne(text: string, set: readonly string[]): boolean {
  for (const one of set) if (text.includes(one)) return true;
  return false;
}

const goesOn = (text: string): boolean =>
  text.includes(':  ') || text.includes('"  ') || /^[\s>|]/.test(text);

/** The whole line, or so much of it around a place. */
function pieceAt(at: number, start: number, end: number): { start: number; end: number } {
  if (end - start <= LONGEST_TEXT) return { start, end };
  const from = Math.max(start, at - BEFORE_HIT);
  return { start: from, end: Math.min(end, from + LONGEST_TEXT) };
}

/** What the literals of a line stand for, from the first one on. */
function candidatesIn(
  block: Buffer,
  first: LiteralHit,
  end: number,
  { matcher, candidates }: Search,
): Candidate[] {
  const found: Candidate[] = [];
  for (let hit: LiteralHit | undefined = first; hit; hit = matcher.find(block, hit.at + 1, end)) {
    for (const literal of hit.literals) found.push(...(candidates[literal] ?? []));
  }
  return found;
}

function endOfLine(block: Buffer, from: number): number {
  const end = block.indexOf(NEWLINE, from);
  return end < 0 ? block.length : end;
}

function textOf(block: Buffer, start: number, end: number): string {
  return block.toString('utf8', start, block[end - 1] === 13 ? end - 1 : end);
}

function newlinesIn(block: Buffer, from: number, end: number): number {
  let count = 0;
  for (let at = block.indexOf(NEWLINE, from); at >= 0 && at < end; count += 1) {
    at = block.indexOf(NEWLINE, at + 1);
  }
  return count;
}
