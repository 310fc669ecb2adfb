import { damaged } from './archive-error.ts';

const STATES = 12;
const POSITIONS = 16;
const MATCH_MIN = 2;
const END_DISTANCES = 128;
const ALIGN_BITS = 4;
/** The most one chunk of LZMA2 holds. */
const MAX_CHUNK = 2 * 1024 * 1024;

/** The bytes a match may point back to. It grows with what is read, up to the size the file asks for. */
export class Window {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  /** How far back a match may go: not before the last reset. */
  filled = 0;
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  reset(): void {
    this.filled = 0;
  }

  /** Makes room for so many more bytes. */
  reserve(length: number): void {
    if (this.at + length <= this.bytes.length) return;
    const kept = Math.min(this.filled, this.#size);
    const most = this.#size + 2 * MAX_CHUNK;
    const wanted = Math.min(most, Math.max(2 * this.bytes.length, kept + length));
    const old = this.bytes.subarray(this.at - kept, this.at);
    if (wanted > this.bytes.length) {
      this.bytes = Buffer.concat([old], wanted);
    } else this.bytes.copyWithin(0, this.at - kept, this.at);
    this.at = kept;
  }

  append(bytes: Buffer): void {
    this.reserve(bytes.length);
    bytes.copy(this.bytes, this.at);
    this.advance(bytes.length);
  }

  advance(length: number): void {
    this.at += length;
    this.filled = Math.min(this.filled + length, this.#size);
  }
}

/** Probabilities of a length: short ones by position, long ones for all. */
interface LengthModel {
  readonly choice: Uint16Array;
  readonly low: Uint16Array;
  readonly mid: Uint16Array;
  readonly high: Uint16Array;
}

const half = (length: number): Uint16Array => new Uint16Array(length).fill(1024);

const lengthModel = (): LengthModel => ({
  choice: half(2),
  low: half(POSITIONS * 8),
  mid: half(POSITIONS * 8),
  high: half(256),
});

/** Decodes the chunks of LZMA2 that are compressed, one after the other, into a window. */
export class LzmaDecoder {
  readonly #window: Window;
  #lc = 0;
  #lp = 0;
  #pb = 0;
  #state = 0;
  #reps: [number, number, number, number] = [0, 0, 0, 0];
  #isMatch = half(STATES * POSITIONS);
  #isRep = half(STATES);
  #isRep0 = half(STATES);
  #isRep1 = half(STATES);
  #isRep2 = half(STATES);
  #isRep0Long = half(STATES * POSITIONS);
  #slots = half(4 * 64);
  #distances = half(END_DISTANCES);
  #align = half(1 << ALIGN_BITS);
  #matchLength = lengthModel();
  #repLength = lengthModel();
  #literals = half(0x300);
  /** Counted since the last reset of the window. */
  #position = 0;
  // The range decoder.
  #input: Buffer = Buffer.alloc(0);
  #next = 0;
  #range = 0;
  #code = 0;

  constructor(window: Window) {
    this.#window = window;
  }

  /** `properties` as a file has them: (pb * 5 + lp) * 9 + lc. */
  setProperties(properties: number): void {
    this.#lc = properties % 9;
    this.#lp = Math.floor(properties / 9) % 5;
    this.#pb = Math.floor(properties / 45);
    if (this.#pb > 4 || this.#lc + this.#lp > 4) throw damaged('impossible properties');
  }

  resetState(): void {
    this.#state = 0;
    this.#reps = [0, 0, 0, 0];
    for (const model of [this.#isMatch, this.#isRep, this.#isRep0, this.#isRep1, this.#isRep2])
      model.fill(1024);
    for (const model of [this.#isRep0Long, this.#slots, this.#distances, this.#align])
      model.fill(1024);
    this.#matchLength = lengthModel();
    this.#repLength = lengthModel();
    this.#literals = half(0x300 << (this.#lc + this.#lp));
  }

  /** Decodes exactly `length` bytes from all of `input`. */
  decode(input: Buffer, length: number): void {
    this.#window.reserve(length);
    this.#begin(input);
    const end = this.#window.at + length;
    while (this.#window.at < end) this.#step(end);
    this.#normalize();
    if (this.#next !== input.length || this.#code !== 0) throw damaged('a chunk of the wrong size');
  }

  #begin(input: Buffer): void {
    if (input.length < 5 || input[0] !== 0) throw damaged('a chunk without a beginning');
    this.#input = input;
    this.#code = input.readUInt32BE(1);
    this.#range = 0xffffffff;
    this.#next = 5;
  }

  #step(end: number): void {
    const window = this.#window;
    const state = this.#state;
    const place = this.#position & ((1 << this.#pb) - 1);
    if (this.#bit(this.#isMatch, state * POSITIONS + place) === 0) {
      this.#literal();
      return;
    }
    const isRepeated = this.#bit(this.#isRep, state) === 1;
    const length = isRepeated ? this.#repeat(place) : this.#match(place);
    const distance = this.#reps[0] + 1;
    if (distance > window.filled) throw damaged('a match from before the beginning');
    if (window.at + length > end) throw damaged('a match beyond its chunk');
    const { bytes } = window;
    for (let at = window.at, stop = at + length; at < stop; at += 1)
      bytes[at] = bytes[at - distance] ?? 0;
    this.#advance(length);
  }

  restart(): void {
    this.#position = 0;
  }

  /** Bytes that were not compressed count, too. */
  skip(length: number): void {
    this.#position = (this.#position + length) >>> 0;
  }

  #advance(length: number): void {
    this.#window.advance(length);
    this.skip(length);
  }

  #literal(): void {
    const { bytes, at, filled } = this.#window;
    const last = filled > 0 ? (bytes[at - 1] ?? 0) : 0;
    const row = ((this.#position & ((1 << this.#lp) - 1)) << this.#lc) + (last >> (8 - this.#lc));
    const base = row * 0x300;
    let symbol = 1;
    if (this.#state >= 7) {
      const distance = this.#reps[0] + 1;
      if (distance > filled) throw damaged('a match from before the beginning');
      let matched = bytes[at - distance] ?? 0;
      while (symbol < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const bit = this.#bit(this.#literals, base + ((1 + expected) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== expected) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, base + symbol);
    bytes[at] = symbol & 0xff;
    const state = this.#state;
    this.#state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
    this.#advance(1);
  }

  #match(place: number): number {
    const length = this.#length(this.#matchLength, place);
    const [first, second, third] = this.#reps;
    const slot = this.#tree(this.#slots, Math.min(length - MATCH_MIN, 3) * 64, 6);
    this.#reps = [this.#distance(slot), first, second, third];
    this.#state = this.#state < 7 ? 7 : 10;
    return length;
  }

  #distance(slot: number): number {
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + this.#reversed(this.#distances, base - slot, bits);
    let high = 0;
    for (let left = bits - ALIGN_BITS; left > 0; left -= 1) high = high * 2 + this.#direct();
    return base + high * 2 ** ALIGN_BITS + this.#reversed(this.#align, 0, ALIGN_BITS);
  }

  /** One of the last four distances again, perhaps for a single byte. */
  #repeat(place: number): number {
    const state = this.#state;
    const [first, second, third, fourth] = this.#reps;
    if (this.#bit(this.#isRep0, state) === 0) {
      if (this.#bit(this.#isRep0Long, state * POSITIONS + place) === 0) {
        this.#state = state < 7 ? 9 : 11;
        return 1;
      }
    } else if (this.#bit(this.#isRep1, state) === 0) this.#reps = [second, first, third, fourth];
    else if (this.#bit(this.#isRep2, state) === 0) this.#reps = [third, first, second, fourth];
    else this.#reps = [fourth, first, second, third];
    this.#state = state < 7 ? 8 : 11;
    return this.#length(this.#repLength, place);
  }

  #length({ choice, low, mid, high }: LengthModel, place: number): number {
    if (this.#bit(choice, 0) === 0) return MATCH_MIN + this.#tree(low, place * 8, 3);
    if (this.#bit(choice, 1) === 0) return MATCH_MIN + 8 + this.#tree(mid, place * 8, 3);
    return MATCH_MIN + 16 + this.#tree(high, 0, 8);
  }

  #tree(model: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    for (let left = bits; left > 0; left -= 1)
      symbol = (symbol << 1) | this.#bit(model, base + symbol);
    return symbol - (1 << bits);
  }

  #reversed(model: Uint16Array, base: number, bits: number): number {
    let [symbol, value] = [1, 0];
    for (let at = 0; at < bits; at += 1) {
      const bit = this.#bit(model, base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << at;
    }
    return value;
  }

  #normalize(): void {
    if (this.#range >= 0x1000000) return;
    const byte = this.#input[this.#next];
    if (byte === undefined) throw damaged('a chunk that ends early');
    this.#next += 1;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | byte) >>> 0;
  }

  #bit(model: Uint16Array, at: number): 0 | 1 {
    this.#normalize();
    const chance = model[at] ?? 0;
    const bound = (this.#range >>> 11) * chance;
    if (this.#code < bound) {
      this.#range = bound;
      model[at] = chance + ((2048 - chance) >> 5);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    model[at] = chance - (chance >> 5);
    return 1;
  }

  #direct(): 0 | 1 {
    this.#normalize();
    this.#range >>>= 1;
    if (this.#code < this.#range) return 0;
    this.#code -= this.#range;
    return 1;
  }
}
