import { CanonicalCode, fillTable } from './code-lengths.ts';
import {
  BASE_DISTANCE,
  BASE_LENGTH,
  END,
  EXTRA_DISTANCE,
  EXTRA_LENGTH,
  FIXED_LENGTH,
  LITERALS,
} from './deflate-tables.ts';
import { END_OF_BLOCK, LENGTHS, LONGEST } from './symbols.ts';

/** Two of the fixed codes mean nothing. */
export const UNKNOWN = END_OF_BLOCK + 1;

/** For each code the word it begins with, then in four bits each how many more bits it has and its length. */
const entry = (word: number, extra: number): number => (word << 8) | (extra << 4);

export const LITERAL_ENTRIES = Uint32Array.from(FIXED_LENGTH, (_, code) => {
  if (code < END) return entry(code, 0);
  if (code === END) return entry(END_OF_BLOCK, 0);
  if (code === LITERALS - 1) return entry(LONGEST, 0);
  if (code >= LITERALS) return entry(UNKNOWN, 0);
  const length = code - END - 1;
  return entry(LENGTHS + (BASE_LENGTH[length] as number), EXTRA_LENGTH[length] as number);
});

export const DISTANCE_ENTRIES = Uint32Array.from(BASE_DISTANCE, (base, code) =>
  entry(base, EXTRA_DISTANCE[code] as number),
);

/** Finds what a code stands for: short codes at once, long ones, which are rare, bit by bit. */
export class DecodingTable {
  readonly #entries: Uint32Array;
  /** By the next bits; 0 for codes that are longer. */
  readonly short: Uint32Array;
  #code = new CanonicalCode(new Uint16Array(0));

  constructor(bits: number, entries: Uint32Array) {
    this.#entries = entries;
    this.short = new Uint32Array(2 ** bits);
  }

  set(lengths: Uint16Array): void {
    this.#code = new CanonicalCode(lengths);
    fillTable(this.short, lengths, this.#entries);
  }

  long(bits: number): number {
    const found = this.#code.find(bits);
    return (this.#entries[found >>> 4] as number) | (found & 15);
  }
}
