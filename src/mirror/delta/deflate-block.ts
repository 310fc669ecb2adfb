import {
  BASE_DISTANCE,
  BASE_LENGTH,
  CODE_OF_DISTANCE,
  CODE_OF_LENGTH,
  DISTANCES,
  END,
  EXTRA_DISTANCE,
  EXTRA_LENGTH,
  FIXED_DISTANCE_LENGTH,
  FIXED_LENGTH,
  LENGTH_CODES,
  LITERALS,
  ORDER,
} from './deflate-tables.ts';
import type { ByteBuffer } from './delta-stream.ts';
import { assignCodes, reversed, Tree } from './huffman-tree.ts';

// The blocks of deflate as zlib and GNU gzip write them.

const EXTRA_CODE = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 7];

const FIXED_CODE = new Uint16Array(288);
assignCodes(FIXED_LENGTH, FIXED_CODE, 288, Uint16Array.of(0, 0, 0, 0, 0, 0, 0, 24, 152, 112));
const FIXED_DISTANCE_CODE = Uint16Array.from({ length: DISTANCES }, (_, code) => reversed(code, 5));

/** Collects the symbols of a block and writes the block in the shortest of the three forms. */
export class BlockWriter {
  readonly #out: ByteBuffer;
  readonly #literals = new Tree(LITERALS, EXTRA_LENGTH, 257, 15, FIXED_LENGTH);
  readonly #distances = new Tree(DISTANCES, EXTRA_DISTANCE, 0, 15, FIXED_DISTANCE_LENGTH);
  readonly #lengths = new Tree(LENGTH_CODES, EXTRA_CODE, 0, 7);
  readonly #symbols: Uint8Array;
  readonly #matches: Uint16Array;
  #bits = 0;
  #bitCount = 0;
  /** Symbols so far, and how many of them are matches. */
  count = 0;
  matches = 0;

  constructor(out: ByteBuffer, capacity: number) {
    this.#out = out;
    this.#symbols = new Uint8Array(capacity);
    this.#matches = new Uint16Array(capacity);
    this.#clear();
  }

  literal(byte: number): void {
    this.#symbols[this.count] = byte;
    this.#matches[this.count] = 0;
    this.count += 1;
    increase(this.#literals.frequency, byte);
  }

  match(distance: number, lengthLess3: number): void {
    this.#symbols[this.count] = lengthLess3;
    this.#matches[this.count] = distance;
    this.count += 1;
    this.matches += 1;
    increase(this.#literals.frequency, (CODE_OF_LENGTH[lengthLess3] as number) + 257);
    increase(this.#distances.frequency, CODE_OF_DISTANCE[distance - 1] as number);
  }

  /** Bytes this block takes at most, as GNU gzip guesses it. */
  guess(): number {
    let bits = this.count * 8;
    for (let code = 0; code < DISTANCES; code += 1)
      bits += (this.#distances.frequency[code] as number) * (5 + (EXTRA_DISTANCE[code] as number));
    return Math.floor(bits / 8);
  }

  /** `stored` is the input of the block, where it is still at hand. */
  flush(stored: Uint8Array | undefined, storedLength: number, isLast: boolean): void {
    const last = isLast ? 1 : 0;
    this.#literals.build();
    this.#distances.build();
    const rest = this.#lengthCodes();
    const bits = this.#literals.bits + this.#distances.bits + this.#lengths.bits + 3 * (rest + 1);
    const fixed = (this.#literals.fixedBits + this.#distances.fixedBits + 10) >>> 3;
    const best = Math.min((bits + 5 + 5 + 4 + 10) >>> 3, fixed);
    if (stored && storedLength + 4 <= best) this.#stored(stored, last);
    else if (fixed === best) this.#fixed(last);
    else this.#dynamic(rest, last);
    this.#clear();
    if (isLast) this.#align();
  }

  #clear(): void {
    this.#literals.frequency.fill(0);
    this.#distances.frequency.fill(0);
    this.#lengths.frequency.fill(0);
    this.#literals.frequency[END] = 1;
    this.count = 0;
    this.matches = 0;
  }

  /** Codes the lengths of both trees; returns the position of the last one that is needed. */
  #lengthCodes(): number {
    const tally = (code: number, times: number) => {
      const { frequency } = this.#lengths;
      frequency[code] = (frequency[code] as number) + times;
    };
    runs(this.#literals, (code, times) => tally(code, times));
    runs(this.#distances, (code, times) => tally(code, times));
    this.#lengths.build();
    let rest = LENGTH_CODES - 1;
    while (rest >= 3 && this.#lengths.length[ORDER[rest] as number] === 0) rest -= 1;
    return rest;
  }

  #stored(bytes: Uint8Array, last: number): void {
    this.#put(last, 3);
    this.#align();
    const length = bytes.length;
    for (const part of [length, ~length & 0xffff]) {
      this.#out.push(part & 0xff);
      this.#out.push((part >> 8) & 0xff);
    }
    this.#out.append(bytes);
  }

  #fixed(last: number): void {
    this.#put(2 + last, 3);
    this.#body(FIXED_LENGTH, FIXED_CODE, FIXED_DISTANCE_LENGTH, FIXED_DISTANCE_CODE);
  }

  #dynamic(rest: number, last: number): void {
    const [literals, distances, lengths] = [this.#literals, this.#distances, this.#lengths];
    this.#put(4 + last, 3);
    this.#put(literals.last + 1 - 257, 5);
    this.#put(distances.last, 5);
    this.#put(rest + 1 - 4, 4);
    for (let at = 0; at <= rest; at += 1)
      this.#put(lengths.length[ORDER[at] as number] as number, 3);
    for (const tree of [literals, distances]) {
      runs(tree, (code, times, extra) => {
        for (let count = 0; count < times; count += 1)
          this.#put(lengths.code[code] as number, lengths.length[code] as number);
        if (code >= 16) this.#put(extra, EXTRA_CODE[code] as number);
      });
    }
    this.#body(literals.length, literals.code, distances.length, distances.code);
  }

  #body(
    lengths: Uint16Array,
    codes: Uint16Array,
    distanceLengths: Uint16Array,
    distanceCodes: Uint16Array,
  ): void {
    for (let at = 0; at < this.count; at += 1) {
      const symbol = this.#symbols[at] as number;
      const match = this.#matches[at] as number;
      if (match === 0) {
        this.#put(codes[symbol] as number, lengths[symbol] as number);
        continue;
      }
      const code = CODE_OF_LENGTH[symbol] as number;
      this.#put(codes[code + 257] as number, lengths[code + 257] as number);
      const extra = EXTRA_LENGTH[code] as number;
      if (extra > 0) this.#put(symbol - (BASE_LENGTH[code] as number), extra);
      const distance = match - 1;
      const far = CODE_OF_DISTANCE[distance] as number;
      this.#put(distanceCodes[far] as number, distanceLengths[far] as number);
      const bits = EXTRA_DISTANCE[far] as number;
      if (bits > 0) this.#put(distance - (BASE_DISTANCE[far] as number), bits);
    }
    this.#put(codes[END] as number, lengths[END] as number);
  }

  #put(value: number, bits: number): void {
    this.#bits |= value << this.#bitCount;
    this.#bitCount += bits;
    while (this.#bitCount >= 8) {
      this.#out.push(this.#bits & 0xff);
      this.#bits >>>= 8;
      this.#bitCount -= 8;
    }
  }

  #align(): void {
    if (this.#bitCount > 0) this.#out.push(this.#bits & 0xff);
    this.#bits = 0;
    this.#bitCount = 0;
  }
}

function increase(frequency: Uint32Array, symbol: number): void {
  frequency[symbol] = (frequency[symbol] as number) + 1;
}

const [COPY_PREVIOUS, ZEROS, MANY_ZEROS] = [16, 17, 18];

type TellRun = (code: number, times: number, extra: number) => void;

function tellRun(current: number, previous: number, count: number, tell: TellRun): void {
  if (current === 0) {
    if (count <= 10) tell(ZEROS, 1, count - 3);
    else tell(MANY_ZEROS, 1, count - 11);
    return;
  }
  const isNew = current !== previous;
  if (isNew) tell(current, 1, 0);
  tell(COPY_PREVIOUS, 1, count - 3 - (isNew ? 1 : 0));
}

/** The lengths of a tree as runs: a length several times, or one of the three codes for repetition. */
function runs({ length, last }: Pick<Tree, 'length' | 'last'>, tell: TellRun): void {
  let previous = -1;
  let count = 0;
  let next = length[0] as number;
  let [most, least] = next === 0 ? [138, 3] : [7, 4];
  for (let symbol = 0; symbol <= last; symbol += 1) {
    const current = next;
    next = symbol === last ? 0xffff : (length[symbol + 1] as number);
    count += 1;
    if (count < most && current === next) continue;
    if (count < least) tell(current, count, 0);
    else tellRun(current, previous, count, tell);
    count = 0;
    previous = current;
    [most, least] = next === 0 ? [138, 3] : current === next ? [6, 3] : [7, 4];
  }
}
