/**
 * Finds many strings at once in a buffer, ignoring case: the algorithm of Wu and Manber. A window as
 * long as the shortest string moves over the text; a table over its last three characters says how
 * far it may jump, so most bytes are never looked at.
 */
export interface LiteralMatcher {
  /** The first place at or after `from` where strings start that end before `end`. Reused. */
  find(text: Uint8Array, from: number, end: number): LiteralHit | undefined;
}

export interface LiteralHit {
  at: number;
  /** Which of the strings start there, by their position in the list the matcher was made from. */
  readonly literals: number[];
}

const BLOCK = 3;
/** The low five bits of a letter are the same in both cases. */
const key = (a: number, b: number, c: number): number =>
  ((a & 31) << 10) | ((b & 31) << 5) | (c & 31);

export function createLiteralMatcher(literals: readonly string[]): LiteralMatcher {
  const patterns = literals.map((text) => Buffer.from(text.toLowerCase(), 'latin1'));
  const window = Math.min(...patterns.map((pattern) => pattern.length));
  if (!(window >= BLOCK)) throw new Error('A literal is shorter than three characters');

  const jumps = new Uint8Array(1 << 15).fill(Math.min(255, window - BLOCK + 1));
  const candidates = new Map<number, number[]>();
  for (const [index, pattern] of patterns.entries()) {
    for (let last = BLOCK - 1; last < window; last += 1) {
      const block = key(pattern[last - 2] ?? 0, pattern[last - 1] ?? 0, pattern[last] ?? 0);
      jumps[block] = Math.min(jumps[block] ?? 0, window - 1 - last);
      if (last !== window - 1) continue;
      candidates.set(block, [...(candidates.get(block) ?? []), index]);
    }
  }
  return { find: finder(patterns, window, jumps, candidates) };
}

function finder(
  patterns: readonly Buffer[],
  window: number,
  jumps: Uint8Array,
  candidates: ReadonlyMap<number, readonly number[]>,
): LiteralMatcher['find'] {
  const hit: LiteralHit = { at: 0, literals: [] };

  function verify(text: Uint8Array, block: number, start: number, end: number): boolean {
    hit.literals.length = 0;
    for (const index of candidates.get(block) ?? []) {
      if (startsWith(text, start, end, patterns[index] as Buffer)) hit.literals.push(index);
    }
    hit.at = start;
    return hit.literals.length > 0;
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
  if (start + pattern.length > end) return false;
  for (let at = 0; at < pattern.length; at += 1) {
    const byte = text[start + at] as number;
    const folded = byte >= 65 && byte <= 90 ? byte + 32 : byte;
    if (folded !== pattern[at]) return false;
  }
  return true;
}
