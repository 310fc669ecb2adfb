import {
  DISTANCES,
  END,
  FIXED_DISTANCE_LENGTH,
  FIXED_LENGTH,
  LENGTH_CODES,
  LITERALS,
  ORDER,
} from './deflate-tables.ts';
import { assignCodes } from './huffman-tree.ts';

/** Bits from the lowest of each byte on. */
export class Bits {
  readonly #bytes: Uint8Array;
  /** The next bit, counted from the first of all bytes. */
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** At least 16 bits; behind the last byte there are zeros. */
  peek(): number {
    const [bytes, at] = [this.#bytes, this.at >>> 3];
    const all = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return all >>> (this.at & 7);
  }

  /** At most 16 of them, as a number. */
  take(count: number): number {
    const value = this.peek() & ((1 << count) - 1);
    this.at += count;
    return value;
  }
}

/** The lengths of the codes of a block. */
export interface CodeLengths {
  readonly literals: Uint16Array;
  readonly distances: Uint16Array;
}

export const FIXED_CODES: CodeLengths = {
  literals: FIXED_LENGTH,
  distances: FIXED_DISTANCE_LENGTH,
};

const [REPEAT, ZEROS, MANY_ZEROS] = [16, 17, 18];

/** Reads what a block says about its codes. */
export function readCodeLengths(bits: Bits): CodeLengths {
  const literals = bits.take(5) + END + 1;
  const distances = bits.take(5) + 1;
  if (literals > LITERALS || distances > DISTANCES)
    throw new RangeError('There are too many codes');
  const own = new Uint16Array(LENGTH_CODES);
  const described = bits.take(4) + 4;
  for (const code of ORDER.slice(0, described)) own[code] = bits.take(3);
  const all = unrolled(bits, own, literals + distances);
  return { literals: all.subarray(0, literals), distances: all.subarray(literals) };
}

/** No code of a length is longer. */
const LENGTH_BITS = 7;
const LENGTH_ENTRIES = Uint32Array.from({ length: LENGTH_CODES }, (_, symbol) => symbol << 4);

function unrolled(bits: Bits, own: Uint16Array, count: number): Uint16Array {
  const table = fillTable(new Uint32Array(2 ** LENGTH_BITS), own, LENGTH_ENTRIES);
  const lengths = new Uint16Array(count);
  for (let at = 0; at < count; ) {
    const found = table[bits.peek() & (table.length - 1)] as number;
    if (found === 0) throw new RangeError('No code begins like this');
    bits.at += found & 15;
    const symbol = found >>> 4;
    if (symbol < REPEAT) {
      lengths[at++] = symbol;
      continue;
    }
    const times = repeats(bits, symbol);
    if (at + times > count || (symbol === REPEAT && at === 0))
      throw new RangeError('The lengths of codes do not fit');
    lengths.fill(symbol === REPEAT ? (lengths[at - 1] as number) : 0, at, at + times);
    at += times;
  }
  return lengths;
}

/** For each run of bits the entry of the symbol whose code it begins with, and the length of that; 0 where it is longer. */
export function fillTable(
  table: Uint32Array,
  lengths: Uint16Array,
  entries: Uint32Array,
): Uint32Array {
  table.fill(0);
  const codes = codesOf(lengths);
  for (let symbol = 0; symbol < lengths.length; symbol += 1) {
    const length = lengths[symbol] as number;
    if (length === 0) continue;
    const found = (entries[symbol] as number) | length;
    const step = 1 << length;
    if (step <= table.length)
      for (let at = codes[symbol] as number; at < table.length; at += step) table[at] = found;
  }
  return table;
}

function repeats(bits: Bits, symbol: number): number {
  if (symbol === MANY_ZEROS) return 11 + bits.take(7);
  return 3 + bits.take(symbol === ZEROS ? 3 : 2);
}

/** Finds symbols bit by bit: for codes that are used seldom. */
export class CanonicalCode {
  readonly #count = new Uint16Array(16);
  readonly #symbols: Uint16Array;

  constructor(lengths: Uint16Array) {
    for (const length of lengths) increase(this.#count, length);
    const next = new Uint16Array(17);
    this.#count[0] = 0;
    let taken = 0;
    for (let length = 1; length < 16; length += 1) {
      next[length + 1] = (next[length] as number) + (this.#count[length] as number);
      taken += (this.#count[length] as number) / 2 ** length;
    }
    if (taken > 1) throw new RangeError('There are more codes than fit');
    this.#symbols = new Uint16Array(lengths.length);
    for (let symbol = 0; symbol < lengths.length; symbol += 1) {
      const length = lengths[symbol] as number;
      if (length > 0) this.#symbols[increase(next, length)] = symbol;
    }
  }

  /** The symbol whose code the next 15 bits begin with, times 16, and the length of its code. */
  find(bits: number): number {
    let [code, first, index] = [0, 0, 0];
    for (let length = 1; length < 16; length += 1) {
      code |= (bits >>> (length - 1)) & 1;
      const count = this.#count[length] as number;
      if (code - count < first)
        return ((this.#symbols[index + code - first] as number) << 4) | length;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new RangeError('No code begins like this');
  }
}

function increase(counts: Uint16Array, at: number): number {
  const before = counts[at] as number;
  counts[at] = before + 1;
  return before;
}

/** The codes themselves, with the bits as they are written. */
export function codesOf(lengths: Uint16Array): Uint16Array {
  const codes = new Uint16Array(lengths.length);
  const count = new Uint16Array(16);
  for (const length of lengths) increase(count, length);
  count[0] = 0;
  assignCodes(lengths, codes, lengths.length, count);
  return codes;
}
