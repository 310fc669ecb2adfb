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
/** No code of a length is longer. */
const LENGTH_BITS = 7;

// Used again for each block, of which a layer has thousands.
const own = new Uint16Array(LENGTH_CODES);
const ownCodes = new Uint16Array(LENGTH_CODES);
const counts = new Uint16Array(16);
const table = new Uint16Array(2 ** LENGTH_BITS);
const all = new Uint16Array(LITERALS + DISTANCES);

/** Reads what a block says about its codes; valid until the next is read. */
export function readCodeLengths(bits: Bits): CodeLengths {
  const literals = bits.take(5) + END + 1;
  const distances = bits.take(5) + 1;
  if (literals > LITERALS || distances > DISTANCES)
    throw new RangeError('There are too many codes');
  own.fill(0);
  const described = bits.take(4) + 4;
  for (let at = 0; at < described; at += 1) own[ORDER[at] as number] = bits.take(3);
  fillTable();
  unroll(bits, literals + distances);
  return {
    literals: all.subarray(0, literals),
    distances: all.subarray(literals, literals + distances),
  };
}

function unroll(bits: Bits, count: number): void {
  for (let at = 0; at < count; ) {
    const found = table[bits.peek() & (table.length - 1)] as number;
    if (found === 0) throw new RangeError('No code begins like this');
    bits.at += found & 15;
    const symbol = found >>> 4;
    if (symbol < REPEAT) {
      all[at++] = symbol;
      continue;
    }
    const times = repeats(bits, symbol);
    if (at + times > count || (symbol === REPEAT && at === 0))
      throw new RangeError('The lengths of codes do not fit');
    all.fill(symbol === REPEAT ? (all[at - 1] as number) : 0, at, at + times);
    at += times;
  }
}

/** For each run of bits the symbol whose code it begins with, times 16, and the length of that; 0 where there is none. */
function fillTable(): void {
  table.fill(0);
  counts.fill(0);
  for (const length of own) if (length > 0) counts[length] = (counts[length] as number) + 1;
  assignCodes(own, ownCodes, LENGTH_CODES, counts);
  for (let symbol = 0; symbol < LENGTH_CODES; symbol += 1) {
    const length = own[symbol] as number;
    if (length === 0) continue;
    for (let at = ownCodes[symbol] as number; at < table.length; at += 1 << length)
      table[at] = (symbol << 4) | length;
  }
}

function repeats(bits: Bits, symbol: number): number {
  if (symbol === MANY_ZEROS) return 11 + bits.take(7);
  return 3 + bits.take(symbol === ZEROS ? 3 : 2);
}
