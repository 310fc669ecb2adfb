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
  const candidates: number[][] = Array.from({ length: BLOCKS });
  for (const [index, { text, offset }] of patterns.entries()) {
    for (let last = BLOCK - 1; last < window; last += 1) {
      const block = blockAt(text, offset + last);
      jumps[block] = Math.min(jumps[block] ?? 0, window - 1 - last);
      if (last !== window - 1) continue;
      candidates[block] = [...(candidates[block] ?? []), index];
    }
  }
  return { find: finder(patterns, window, jumps, candidates) };
}

/** How often each block occurs in the strings: what many of them hold is common in logs, too. */
function blockCounts(texts: readonly Buffer[]): Uint32Array {
  const counts = new Uint32Array(BLOCKS);
  for (const text of texts) {
    for (let last = BLOCK - 1; last < text.length; last += 1)
      counts[blockAt(text, last)] = (counts[blockAt(text, last)] ?? 0) + 1;
  }
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

function finder(
  patterns: readonly Pattern[],
  window: number,
  jumps: Uint8Array,
  candidates: readonly (readonly number[] | undefined)[],
): LiteralMatcher['find'] {
  const hit: LiteralHit = { at: 0, literals: [] };

  function verify(text: Uint8Array, block: number, start: number, end: number): boolean {
    let literals: number[] | undefined;
    for (const index of candidates[block] as readonly number[]) {
      const { text: wanted, offset } = patterns[index] as Pattern;
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
