import { Bits, type CodeLengths, codesOf, FIXED_CODES, readCodeLengths } from './code-lengths.ts';
import {
  BASE_DISTANCE,
  BASE_LENGTH,
  CODE_OF_DISTANCE,
  CODE_OF_LENGTH,
  DISTANCES,
  END,
  EXTRA_DISTANCE,
  EXTRA_LENGTH,
  LITERALS,
} from './deflate-tables.ts';
import type { Recompressor } from './methods.ts';
import * as symbols from './symbols.ts';

/** No symbol takes more than six bytes, in two words. */
const MOST_BYTES_PER_WORD = 3;
const MOST_HEADER_WORDS = 1 + symbols.MOST_CODE_BYTES / 2;

/** Less three. */
const LONGEST = 255;
/** Of a number of bits below 32. */
const WHOLE_BYTES = 24;

type Phase = 'between' | 'bytes' | 'symbols';

/** Puts the Huffman codes back that a {@link SymbolReader} took off. */
export class SymbolWriter implements Recompressor {
  #words = new Uint16Array(0);
  #at = 0;
  #end = 0;
  #isOver = false;
  #phase: Phase = 'between';
  #bytesLeft = 0;
  #out = new Uint8Array(0);
  #view = new DataView(this.#out.buffer);
  /** Whole bytes; the bits behind them are in `#hold`. */
  #filled = 0;
  #hold = 0;
  #used = 0;
  /** For each word that begins a symbol its code with what belongs to it, times 32, and the bits of that. */
  readonly #literals = new Uint32Array(symbols.END_OF_BLOCK + 1);
  readonly #distances = new Uint32Array(DISTANCES);

  write(bytes: Uint8Array): Uint8Array {
    this.#append(bytes);
    return this.#run();
  }

  finish(): Uint8Array {
    this.#isOver = true;
    const made = this.#run();
    if (this.#phase !== 'between' || this.#left > 0) throw new RangeError('The symbols are cut');
    return made;
  }

  /** In the memory that was used before, where it is enough. */
  #append(bytes: Uint8Array): void {
    const left = this.#words.subarray(this.#at, this.#end);
    const end = left.length + bytes.length / symbols.WORD;
    const words = end > this.#words.length ? new Uint16Array(end) : this.#words;
    words.set(left);
    symbols.bytesOf(words).set(bytes, left.length * symbols.WORD);
    this.#words = words;
    this.#at = 0;
    this.#end = end;
  }

  get #left(): number {
    return this.#end - this.#at;
  }

  #run(): Uint8Array {
    const most = this.#left * MOST_BYTES_PER_WORD + 16;
    if (this.#out.length < most) this.#grow(most);
    this.#filled = 0;
    while (this.#left > 0 && this.#step());
    return this.#out.subarray(0, this.#filled);
  }

  #grow(most: number): void {
    this.#out = new Uint8Array(most);
    this.#view = new DataView(this.#out.buffer);
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
    const codes = codesOf(literals);
    const entry = (code: number, extra = 0, extraBits = 0) => {
      const bits = literals[code] ?? 0;
      return ((((codes[code] ?? 0) | (extra << bits)) << 5) | (bits + extraBits)) >>> 0;
    };
    for (let word = 0; word < symbols.LENGTHS; word += 1) this.#literals[word] = entry(word);
    for (let length = 0; length < LONGEST; length += 1) {
      const code = CODE_OF_LENGTH[length] as number;
      const extra = length - (BASE_LENGTH[code] as number);
      this.#literals[symbols.LENGTHS + length] = entry(END + 1 + code, extra, EXTRA_LENGTH[code]);
    }
    this.#literals[symbols.LENGTHS + LONGEST] = entry(LITERALS - 2, 31, 5);
    this.#literals[symbols.LONGEST] = entry(LITERALS - 1);
    this.#literals[symbols.END_OF_BLOCK] = entry(END);
    this.#distances.fill(0);
    for (const [code, bits] of codesOf(distances).entries())
      this.#distances[code] = (bits << 5) | (distances[code] as number);
    this.#phase = 'symbols';
  }

  /** At most 16 bits. */
  #put(value: number, bits: number): void {
    const end = this.#used + bits;
    this.#hold |= value << this.#used;
    this.#view.setUint32(this.#filled, this.#hold, true);
    this.#filled += end >>> 3;
    this.#hold >>>= end & WHOLE_BYTES;
    this.#used = end & 7;
  }

  #align(): void {
    if (this.#used > 0) this.#put(0, 8 - this.#used);
  }

  /** One function with variables of its own, and written out: here is where the time goes. */
  #symbols(): boolean {
    const [words, view, codes, distances] = [
      this.#words,
      this.#view,
      this.#literals,
      this.#distances,
    ];
    const last = this.#end - 2;
    let [at, filled, hold, used] = [this.#at, this.#filled, this.#hold, this.#used];
    let word = 0;
    while (at <= last) {
      word = words[at++] as number;
      if (word > symbols.END_OF_BLOCK) throw new RangeError('There is no symbol where one belongs');
      const code = codes[word] as number;
      hold |= (code >>> 5) << used;
      view.setUint32(filled, hold, true);
      let end = used + (code & 31);
      filled += end >>> 3;
      hold >>>= end & WHOLE_BYTES;
      used = end & 7;
      if (word < symbols.LENGTHS) continue;
      if (word === symbols.END_OF_BLOCK) break;
      const distance = words[at++] as number;
      const far = CODE_OF_DISTANCE[distance] as number;
      const farCode = distances[far] as number;
      hold |= (farCode >>> 5) << used;
      view.setUint32(filled, hold, true);
      end = used + (farCode & 31);
      filled += end >>> 3;
      hold =
        (hold >>> (end & WHOLE_BYTES)) | ((distance - (BASE_DISTANCE[far] as number)) << (end & 7));
      view.setUint32(filled, hold, true);
      end = (end & 7) + (EXTRA_DISTANCE[far] as number);
      filled += end >>> 3;
      hold >>>= end & WHOLE_BYTES;
      used = end & 7;
    }
    [this.#at, this.#filled, this.#hold, this.#used] = [at, filled, hold, used];
    if (word === symbols.END_OF_BLOCK) this.#phase = 'between';
    return word === symbols.END_OF_BLOCK;
  }
}
