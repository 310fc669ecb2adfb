import { Bits, type CodeLengths, FIXED_CODES, readCodeLengths } from './code-lengths.ts';
import { inPieces } from './in-pieces.ts';
import type { Recompressor } from './methods.ts';
import { ENDED, openSymbolModule, REFUSED } from './symbol-module.ts';
import * as symbols from './symbols.ts';

/** The module has room for so many, and for what was left before. */
const PIECE_BYTES = 1024 * 1024;
const MOST_HEADER_WORDS = 1 + symbols.MOST_CODE_BYTES / 2;

/** Of a number of bits below 32. */
const WHOLE_BYTES = 24;

type Phase = 'between' | 'bytes' | 'symbols';

/** Puts the Huffman codes back that a {@link SymbolReader} took off. */
export class SymbolWriter implements Recompressor {
  readonly #module = openSymbolModule();
  readonly #words = this.#module.words(this.#module.given, this.#module.givenWords);
  #at = 0;
  #end = 0;
  #isOver = false;
  #phase: Phase = 'between';
  #bytesLeft = 0;
  readonly #out = this.#module.bytes(this.#module.made, this.#module.madeBytes);
  /** Whole bytes; the bits behind them are in `#hold`. */
  #filled = 0;
  #hold = 0;
  #used = 0;

  write(bytes: Uint8Array): Uint8Array {
    return inPieces(bytes, PIECE_BYTES, (piece) => {
      this.#append(piece);
      return this.#run();
    });
  }

  finish(): Uint8Array {
    this.#isOver = true;
    const made = this.#run();
    if (this.#phase !== 'between' || this.#left > 0) throw new RangeError('The symbols are cut');
    return made;
  }

  /** Behind what is left. */
  #append(bytes: Uint8Array): void {
    const end = this.#left + bytes.length / symbols.WORD;
    this.#words.copyWithin(0, this.#at, this.#end);
    symbols.bytesOf(this.#words).set(bytes, this.#left * symbols.WORD);
    this.#at = 0;
    this.#end = end;
  }

  get #left(): number {
    return this.#end - this.#at;
  }

  #run(): Uint8Array {
    this.#filled = 0;
    while (this.#left > 0 && this.#step());
    return this.#out.subarray(0, this.#filled);
  }

  /** False where more words are needed. */
  #step(): boolean {
    if (this.#phase === 'bytes') return this.#bytes();
    if (this.#phase === 'symbols') return this.#symbols();
    if (!this.#isOver && this.#left < MOST_HEADER_WORDS) return false;
    const word = this.#next();
    if (word === symbols.RAW) this.#beginBytes(this.#next());
    else if (word >> 3 === symbols.BLOCK >> 3) this.#block(word & 7);
    else throw new RangeError('There is no block where one belongs');
    return true;
  }

  #next(): number {
    if (this.#left === 0) throw new RangeError('The symbols are cut');
    this.#at += 1;
    return this.#words[this.#at - 1] as number;
  }

  #block(first: number): void {
    this.#put(first, 3);
    const kind = first >> 1;
    if (kind === symbols.DYNAMIC) this.#setCodes(this.#codes());
    else if (kind === symbols.FIXED) this.#setCodes(FIXED_CODES);
    else this.#beginStored();
  }

  #beginStored(): void {
    const length = this.#next();
    this.#align();
    this.#put(length, 16);
    this.#put(length ^ 0xffff, 16);
    this.#beginBytes(length);
  }

  #beginBytes(length: number): void {
    this.#align();
    this.#bytesLeft = length;
    this.#phase = 'bytes';
    // There may be none, and no word either.
    this.#bytes();
  }

  #bytes(): boolean {
    const count = Math.min(this.#bytesLeft, this.#left);
    this.#out.set(this.#words.subarray(this.#at, this.#at + count), this.#filled);
    this.#filled += count;
    this.#at += count;
    this.#bytesLeft -= count;
    if (this.#bytesLeft === 0) this.#phase = 'between';
    return true;
  }

  #codes(): CodeLengths {
    const count = this.#next();
    const words = this.#words.subarray(this.#at, this.#at + Math.ceil(count / 16));
    for (let left = count; left > 0; left -= 16) this.#put(this.#next(), Math.min(16, left));
    return readCodeLengths(new Bits(symbols.bytesOf(words), 0));
  }

  #setCodes({ literals, distances }: CodeLengths): void {
    this.#module.set(literals, this.#module.setWordCodes);
    this.#module.set(distances, this.#module.setDistanceEntries);
    this.#phase = 'symbols';
  }

  /** At most 16 bits. */
  #put(value: number, bits: number): void {
    const end = this.#used + bits;
    this.#hold |= value << this.#used;
    this.#out.writeInt32LE(this.#hold, this.#filled);
    this.#filled += end >>> 3;
    this.#hold >>>= end & WHOLE_BYTES;
    this.#used = end & 7;
  }

  #align(): void {
    if (this.#used > 0) this.#put(0, 8 - this.#used);
  }

  /** False where more words are needed. */
  #symbols(): boolean {
    const outcome = this.#module.encode(this.#at, this.#end, this.#filled, this.#hold, this.#used);
    this.#at = this.#module.nextGiven.value;
    this.#filled = this.#module.nextMade.value;
    this.#hold = this.#module.rest.value;
    this.#used = this.#module.restBits.value;
    if (outcome === REFUSED) throw new RangeError('There is no symbol where one belongs');
    if (outcome === ENDED) this.#phase = 'between';
    return outcome === ENDED;
  }
}
