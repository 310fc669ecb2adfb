import { ORDINARY_TEXT } from './ordinary-text.ts';

/**
 * Finds many strings at once in a buffer, ignoring case: the algorithm of Wu and Manber. A window as
 * long as the shortest string moves over the text; a table over its last three characters says how
 * far it may jump, so most bytes are never looked at. Of each string the rarest part is looked for.
 */
export interface LiteralMatcher {
  /** The first place at or after `from` that lies in strings which end before `end`. Reused. */
  find(text: Uint8Array, from: number, end: number): LiteralHit | undefined;
}

export interface LiteralHit {
  at: number;
  /** Which of the strings lie around it, by their position in the list the matcher was made from. */
  literals: readonly number[];
}

const BLOCK = 3;
const BLOCKS = 1 << 15;

/** The three characters that end here. The low five bits of a letter are the same in both cases. */
const blockAt = (text: Buffer, last: number): number =>
  (((text[last - 2] ?? 0) & 31) << 10) |
  (((text[last - 1] ?? 0) & 31) << 5) |
  ((text[last] ?? 0) & 31);

/** A string, and where in it the window lies that is looked for: at its rarest part. */
interface Pattern {
  readonly text: Buffer;
  readonly offset: number;
}

export function createLiteralMatcher(literals: readonly string[]): LiteralMatcher {
  const texts = literals.map((text) => Buffer.from(text.toLowerCase(), 'latin1'));
  const window = Math.min(...texts.map(({ length }) => length));
  if (!(window >= BLOCK)) throw new Error('A literal is shorter than three characters');

  const counts = blockCounts(texts);
  const patterns = texts.map((text): Pattern => ({ text, offset: rarest(text, window, counts) }));
  const jumps = new Uint8Array(BLOCKS).fill(Math.min(255, window - BLOCK + 1));
  for (const { text, offset } of patterns) {
    for (let last = BLOCK - 1; last < window; last += 1) {
      const block = blockAt(text, offset + last);
      jumps[block] = Math.min(jumps[block] ?? 0, window - 1 - last);
    }
  }
  return { find: finder(patterns, window, jumps) };
}

/** How much more a block of ordinary lines weighs than one of the strings. */
const ORDINARY_WEIGHT = 32;

/** How often each block is met: what ordinary lines hold, and what many of the strings hold, stops the window most. */
function blockCounts(texts: readonly Buffer[]): Uint32Array {
  const counts = new Uint32Array(BLOCKS);
  const add = (text: Buffer, weight: number) => {
    for (let last = BLOCK - 1; last < text.length; last += 1)
      counts[blockAt(text, last)] = (counts[blockAt(text, last)] ?? 0) + weight;
  };
  add(Buffer.from(ORDINARY_TEXT, 'latin1'), ORDINARY_WEIGHT);
  for (const text of texts) add(text, 1);
  return counts;
}

/** Where in a string the window stops least: a block costs more the less it lets the window jump. */
function rarest(text: Buffer, window: number, counts: Uint32Array): number {
  let [best, lowest] = [0, Number.POSITIVE_INFINITY];
  for (let offset = 0; offset + window <= text.length; offset += 1) {
    let cost = 0;
    for (let last = BLOCK - 1; last < window; last += 1) {
      cost += (counts[blockAt(text, offset + last)] ?? 0) * (last + 1 === window ? 8 : 1);
    }
    if (cost < lowest) [best, lowest] = [offset, cost];
  }
  return best;
}

/** The patterns in the order of their last blocks, so that those which share one lie side by side. */
function createCandidates(patterns: readonly Pattern[], window: number) {
  const lastBlock = ({ text, offset }: Pattern) => blockAt(text, offset + window - 1);
  const sorted = patterns
    .map((pattern, index) => ({ ...pattern, index, block: lastBlock(pattern) }))
    .toSorted((a, b) => a.block - b.block);
  const starts = new Uint16Array(BLOCKS + 1);
  for (const { block } of sorted) starts[block + 1] = (starts[block + 1] ?? 0) + 1;
  for (let at = 0; at < BLOCKS; at += 1) starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0);
  const heads = Uint16Array.from(sorted, ({ text, offset }) => blockAt(text, offset + BLOCK - 1));
  return { sorted, starts, heads };
}

function finder(
  patterns: readonly Pattern[],
  window: number,
  jumps: Uint8Array,
): LiteralMatcher['find'] {
  const hit: LiteralHit = { at: 0, literals: [] };
  const { sorted, starts, heads } = createCandidates(patterns, window);

  /** Most windows that end as a string does begin otherwise: that is seen before any string is compared. */
  function verify(text: Uint8Array, block: number, start: number, end: number): boolean {
    let literals: number[] | undefined;
    const head =
      (((text[start] as number) & 31) << 10) |
      (((text[start + 1] as number) & 31) << 5) |
      ((text[start + 2] as number) & 31);
    const last = starts[block + 1] as number;
    for (let at = starts[block] as number; at < last; at += 1) {
      if (heads[at] !== head) continue;
      const { text: wanted, offset, index } = sorted[at] as Pattern & { readonly index: number };
      if (!startsWith(text, start - offset, end, wanted)) continue;
      if (literals) literals.push(index);
      else literals = [index];
    }
    if (!literals) return false;
    hit.at = start;
    hit.literals = literals;
    return true;
  }

  return (text, from, end) => {
    let last = from + window - 1;
    while (last < end) {
      // The indices are in range; the casts keep this loop free of checks.
      const block =
        (((text[last - 2] as number) & 31) << 10) |
        (((text[last - 1] as number) & 31) << 5) |
        ((text[last] as number) & 31);
      const jump = jumps[block] as number;
      if (jump !== 0) last += jump;
      else if (verify(text, block, last - window + 1, end)) return hit;
      else last += 1;
    }
    return undefined;
  };
}

function startsWith(text: Uint8Array, start: number, end: number, pattern: Buffer): boolean {
  if (start < 0 || start + pattern.length > end) return false;
  for (let at = 0; at < pattern.length; at += 1) {
    const byte = text[start + at] as number;
    const folded = byte >= 65 && byte <= 90 ? byte + 32 : byte;
    if (folded !== pattern[at]) return false;
  }
  return true;
}
