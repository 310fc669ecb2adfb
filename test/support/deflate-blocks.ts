import { assignCodes } from '../../src/mirror/delta/huffman-tree.ts';

/** Blocks of deflate, bit by bit: with codes and at places that no program chooses. */
export class Blocks {
  #bits = '';

  /** The bits of a number, the lowest first. */
  bits(value: number, count: number): this {
    for (let bit = 0; bit < count; bit += 1) this.#bits += (value >> bit) & 1;
    return this;
  }

  stored(bytes: Buffer, isLast = false): this {
    this.bits(isLast ? 1 : 0, 3).#align();
    this.bits(bytes.length, 16).bits(bytes.length ^ 0xffff, 16);
    for (const byte of bytes) this.bits(byte, 8);
    return this;
  }

  fixed(isLast = false): this {
    return this.bits(isLast ? 1 : 0, 1).bits(1, 2);
  }

  /** With these lengths of codes, written out one by one. */
  dynamic(literals: readonly number[], distances: readonly number[], isLast = false): this {
    return this.bits(isLast ? 1 : 0, 1)
      .bits(2, 2)
      .description(literals, distances);
  }

  description(literals: readonly number[], distances: readonly number[]): this {
    this.bits(literals.length - 257, 5)
      .bits(distances.length - 1, 5)
      .bits(15, 4);
    for (const symbol of ORDER) this.bits(LENGTHS_OF_LENGTHS[symbol] ?? 0, 3);
    return this.symbols(LENGTHS_OF_LENGTHS, ...literals, ...distances);
  }

  /** The codes of these symbols. */
  symbols(lengths: readonly number[], ...symbols: readonly number[]): this {
    const codes = codesOf(lengths);
    for (const symbol of symbols) this.bits(codes[symbol] ?? 0, lengths[symbol] ?? 0);
    return this;
  }

  get length(): number {
    return this.#bits.length;
  }

  #align(): void {
    while (this.#bits.length % 8 > 0) this.#bits += 0;
  }

  deflate(): Buffer {
    this.#align();
    const bytes = this.#bits.match(/.{8}/g) ?? [];
    return Buffer.from(bytes.map((bits) => Number.parseInt([...bits].toReversed().join(''), 2)));
  }

  /** With a header, and a trailer that nobody compares here. */
  gzip(): Buffer {
    const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    return Buffer.concat([header, this.deflate(), Buffer.alloc(8, 7)]);
  }
}

const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** Thirteen of four bits and six of five: all that fits. */
const LENGTHS_OF_LENGTHS = Array.from({ length: 19 }, (_, symbol) => (symbol < 13 ? 4 : 5));

function codesOf(lengths: readonly number[]): Uint16Array {
  const codes = new Uint16Array(lengths.length);
  const counts = new Uint16Array(16);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1;
  assignCodes(Uint16Array.from(lengths), codes, lengths.length, counts);
  return codes;
}
