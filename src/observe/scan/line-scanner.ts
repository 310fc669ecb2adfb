import { asBuffer } from '../../core/archive/byte-source.ts';
import { createLiteralMatcher, type LiteralMatcher } from './literal-matcher.ts';
import { requiredLiterals } from './literals.ts';

/** Shorter ones would stop at every other line. */
export const SHORTEST_LITERAL = 6;
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
}

export interface LineScanner {
  /** All hits in order, one batch per chunk of input. */
  scan(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly LineHit[]>;
}

const MAX_KEPT = 256;
const kept = new Map<string, LineScanner>();

/** A scanner for patterns given as sources of regular expressions. Scanners hold no state: they are kept. */
export function createLineScanner(patterns: readonly string[]): LineScanner {
  const key = patterns.join('\n');
  const scanner = kept.get(key) ?? makeScanner(patterns);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, scanner);
  return scanner;
}

function makeScanner(patterns: readonly string[]): LineScanner {
  const owners = new Map<string, number[]>();
  for (const [index, pattern] of patterns.entries()) {
    const literals = requiredLiterals(pattern, SHORTEST_LITERAL);
    if (!literals) throw new Error(`No literal to look for in /${pattern}/`);
    for (const text of literals) owners.set(text, [...(owners.get(text) ?? []), index]);
  }
  const matcher = owners.size === 0 ? undefined : createLiteralMatcher([...owners.keys()]);
  return { scan: (chunks) => scanLines(chunks, matcher, [...owners.values()]) };
}

async function* scanLines(
  chunks: AsyncIterable<Uint8Array>,
  matcher: LiteralMatcher | undefined,
  owners: readonly (readonly number[])[],
): AsyncGenerator<readonly LineHit[]> {
  if (!matcher) return;
  const counter = { line: 1 };
  for await (const block of wholeLines(chunks)) {
    const hits = hitsIn(block, matcher, owners, counter);
    if (hits.length > 0) yield hits;
  }
}

/** Cuts the stream at ends of lines: each block holds whole lines, the last one perhaps without its end. */
export async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const block = rest.length === 0 ? asBuffer(chunk) : Buffer.concat([rest, chunk]);
    const end = block.lastIndexOf(NEWLINE) + 1 || (block.length > LONGEST_LINE ? block.length : 0);
    rest = block.subarray(end);
    if (end > 0) yield block.subarray(0, end);
  }
  if (rest.length > 0) yield rest;
}

function hitsIn(
  block: Buffer,
  matcher: LiteralMatcher,
  owners: readonly (readonly number[])[],
  counter: { line: number },
): LineHit[] {
  const hits: LineHit[] = [];
  let counted = 0;
  const countTo = (end: number) => {
    counter.line += newlinesIn(block, counted, end);
    counted = end;
  };
  for (let from = 0; ; ) {
    const first = matcher.find(block, from, block.length);
    if (!first) break;
    const line = block.lastIndexOf(NEWLINE, first.at) + 1;
    const { start, end } = pieceAt(first.at, line, endOfLine(block, first.at));
    const patterns = patternsIn(block, start, end, matcher, owners);
    countTo(line);
    const head = start > line ? `${textOf(block, line, Math.min(line + HEAD, start))} … ` : '';
    hits.push({
      line: counter.line,
      text: head + textOf(block, start, end),
      patterns,
      before: () =>
        block
          .toString('utf8', Math.max(0, line - BEFORE_HIT), line)
          .split('\n')
          .slice(0, -1),
    });
    from = end;
  }
  countTo(block.length);
  return hits;
}

/** The whole line, or so much of it around a place. */
function pieceAt(at: number, start: number, end: number): { start: number; end: number } {
  if (end - start <= LONGEST_TEXT) return { start, end };
  const from = Math.max(start, at - BEFORE_HIT);
  return { start: from, end: Math.min(end, from + LONGEST_TEXT) };
}

function patternsIn(
  block: Buffer,
  start: number,
  end: number,
  matcher: LiteralMatcher,
  owners: readonly (readonly number[])[],
): Set<number> {
  const patterns = new Set<number>();
  for (let from = start; ; ) {
    const hit = matcher.find(block, from, end);
    if (!hit) return patterns;
    for (const literal of hit.literals) {
      for (const pattern of owners[literal] ?? []) patterns.add(pattern);
    }
    from = hit.at + 1;
  }
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
