import { crc32 } from 'node:zlib';
import { BlockWriter } from './deflate-block.ts';
import { ByteBuffer } from './delta-stream.ts';
import type { Recompression, Recompressor } from './methods.ts';

// Deflate with the choices of zlib and of GNU gzip, which share an ancestor. Node's own zlib is a faster
// relative that finds other matches, differently on each kind of processor: it cannot make their bytes.

const SIZE = 32768;
const MASK = SIZE - 1;
const HASH_MASK = 32767;
const LEAST = 3;
const MOST = 258;
const LOOKAHEAD = MOST + LEAST + 1;
const FARTHEST = SIZE - LOOKAHEAD;
/** A match of three bytes that is farther away than this costs more than the bytes. */
const TOO_FAR = 4096;

/** Good enough to search less; long enough not to look for a better one; long enough to stop; tries. */
const LEVELS: Readonly<Record<number, readonly [number, number, number, number]>> = {
  1: [4, 4, 8, 4],
  2: [4, 5, 16, 8],
  3: [4, 6, 32, 32],
  4: [4, 4, 16, 16],
  5: [8, 16, 32, 32],
  6: [8, 16, 128, 128],
  7: [8, 32, 128, 256],
  8: [32, 128, 258, 1024],
  9: [32, 258, 258, 4096],
};
const LAST_GREEDY = 3;

export function createDeflater(method: Recompression): Recompressor {
  return new Deflater(method.level, method.program === 'gzip');
}

class Deflater implements Recompressor {
  readonly #isGnu: boolean;
  readonly #level: number;
  readonly #good: number;
  readonly #lazy: number;
  readonly #nice: number;
  readonly #tries: number;
  readonly #capacity: number;
  readonly #window = new Uint8Array(2 * SIZE);
  readonly #head = new Uint16Array(SIZE);
  readonly #previous = new Uint16Array(SIZE);
  readonly #out = new ByteBuffer();
  readonly #block: BlockWriter;
  #input: Buffer = Buffer.alloc(0);
  #isLast = false;
  #at = 0;
  #ahead = 0;
  #blockStart = 0;
  #hash = 0;
  #isStarted = false;
  #isAtEnd = false;
  #matchStart = 0;
  #matchLength = LEAST - 1;
  #hasLiteral = false;
  #crc = 0;
  #size = 0;

  constructor(level: number, isGnu: boolean) {
    const settings = LEVELS[level];
    if (!settings) throw new Error(`There is no level ${level}`);
    [this.#good, this.#lazy, this.#nice, this.#tries] = settings;
    this.#level = level;
    this.#isGnu = isGnu;
    this.#capacity = isGnu ? SIZE - 1 : SIZE / 2 - 1;
    this.#out.append(new Uint8Array(10));
    this.#block = new BlockWriter(this.#out, SIZE);
  }

  write(bytes: Uint8Array): Uint8Array {
    this.#crc = crc32(bytes, this.#crc);
    this.#size += bytes.length;
    this.#input = Buffer.concat([this.#input, bytes]);
    this.#run();
    return this.#out.take();
  }

  finish(): Uint8Array {
    this.#isLast = true;
    this.#run();
    if (this.#hasLiteral) this.#block.literal(this.#window[this.#at - 1] as number);
    this.#flush(true);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc, 0);
    trailer.writeUInt32LE(this.#size % 2 ** 32, 4);
    this.#out.append(trailer);
    return this.#out.take();
  }

  #run(): void {
    while (this.#hasWork()) {
      if (this.#level <= LAST_GREEDY) this.#greedyStep();
      else this.#lazyStep();
    }
  }

  /** As from a file: each read gives all that was asked for. */
  #hasWork(): boolean {
    if (this.#ahead >= LOOKAHEAD) return true;
    if (!this.#isLast && this.#input.length < 2 * SIZE) return false;
    while (this.#ahead < LOOKAHEAD && this.#fill());
    return this.#ahead > 0;
  }

  #fill(): boolean {
    const window = this.#window;
    // GNU gzip does not move its window any more once the input has ended.
    if (this.#isGnu && this.#isAtEnd) return false;
    if (this.#at >= SIZE + FARTHEST) this.#slide();
    const start = this.#at + this.#ahead;
    const read = Math.min(window.length - start, this.#input.length);
    if (read === 0) {
      this.#isAtEnd = true;
      if (this.#isGnu) window.fill(0, start, start + LEAST - 1);
      return false;
    }
    window.set(this.#input.subarray(0, read), start);
    this.#input = this.#input.subarray(read);
    this.#ahead += read;
    if (!this.#isStarted) this.#startHash();
    this.#isStarted = true;
    return true;
  }

  #slide(): void {
    this.#window.copyWithin(0, SIZE, 2 * SIZE);
    this.#at -= SIZE;
    this.#matchStart -= SIZE;
    this.#blockStart -= SIZE;
    for (const table of [this.#head, this.#previous])
      for (let each = 0; each < SIZE; each += 1)
        table[each] = Math.max(0, (table[each] as number) - SIZE);
  }

  #startHash(): void {
    const window = this.#window;
    this.#hash =
      (((window[this.#at] as number) << 5) ^ (window[this.#at + 1] as number)) & HASH_MASK;
  }

  /** Notes the next three bytes and says where they were before; 0 for nowhere. */
  #insert(at: number): number {
    const hash = ((this.#hash << 5) ^ (this.#window[at + LEAST - 1] as number)) & HASH_MASK;
    this.#hash = hash;
    const before = this.#head[hash] as number;
    this.#previous[at & MASK] = before;
    this.#head[hash] = at;
    return before;
  }

  #insertIfWhole(): number {
    return this.#isGnu || this.#ahead >= LEAST ? this.#insert(this.#at) : 0;
  }

  #isReachable(before: number): boolean {
    const near = before !== 0 && this.#at - before <= FARTHEST;
    return near && (!this.#isGnu || this.#at <= 2 * SIZE - LOOKAHEAD);
  }

  #lazyStep(): void {
    const before = this.#insertIfWhole();
    const [previousLength, previousMatch] = [this.#matchLength, this.#matchStart];
    this.#matchLength = LEAST - 1;
    if (previousLength < this.#lazy && this.#isReachable(before)) {
      const length = this.#longest(before, previousLength);
      const isFar = length === LEAST && this.#at - this.#matchStart > TOO_FAR;
      this.#matchLength = isFar ? LEAST - 1 : length;
    }
    if (previousLength >= LEAST && this.#matchLength <= previousLength)
      this.#takePrevious(previousLength, previousMatch);
    else this.#postpone();
  }

  /** The match that began one byte earlier is not surpassed. */
  #takePrevious(length: number, match: number): void {
    const lastInsert = this.#at + this.#ahead - LEAST;
    const isFull = this.#tallyMatch(this.#at - 1 - match, length);
    this.#ahead -= length - 1;
    for (let left = length - 2; left > 0; left -= 1) {
      this.#at += 1;
      if (this.#isGnu || this.#at <= lastInsert) this.#insert(this.#at);
    }
    this.#hasLiteral = false;
    this.#matchLength = LEAST - 1;
    this.#at += 1;
    if (isFull) this.#flush(false);
  }

  /** Whether the next byte begins a longer match is seen one step later. */
  #postpone(): void {
    if (this.#hasLiteral && this.#tallyLiteral(this.#at - 1)) this.#flush(false);
    this.#hasLiteral = true;
    this.#at += 1;
    this.#ahead -= 1;
  }

  #greedyStep(): void {
    const before = this.#insertIfWhole();
    const length = this.#isReachable(before) ? this.#longest(before, LEAST - 1) : 0;
    const isFull = length >= LEAST ? this.#takeMatch(length) : this.#tallyLiteral(this.#at);
    if (length < LEAST) {
      this.#ahead -= 1;
      this.#at += 1;
    }
    if (isFull) this.#flush(false);
  }

  #takeMatch(length: number): boolean {
    const isFull = this.#tallyMatch(this.#at - this.#matchStart, length);
    this.#ahead -= length;
    if (length <= this.#lazy && (this.#isGnu || this.#ahead >= LEAST)) {
      for (let left = length - 1; left > 0; left -= 1) {
        this.#at += 1;
        this.#insert(this.#at);
      }
      this.#at += 1;
    } else {
      this.#at += length;
      this.#startHash();
    }
    return isFull;
  }

  #longest(start: number, leastLength: number): number {
    const window = this.#window;
    const at = this.#at;
    const limit = at > FARTHEST ? at - FARTHEST : 0;
    const nice = this.#isGnu ? this.#nice : Math.min(this.#nice, this.#ahead);
    let tries = leastLength >= this.#good ? this.#tries >> 2 : this.#tries;
    let best = leastLength;
    let match = start;
    do {
      const length = commonLength(window, match, at, best);
      if (length > best) {
        this.#matchStart = match;
        best = length;
        if (length >= nice) break;
      }
      match = this.#previous[match & MASK] as number;
      tries -= 1;
    } while (match > limit && tries !== 0);
    return Math.min(best, this.#ahead);
  }

  #tallyLiteral(at: number): boolean {
    this.#block.literal(this.#window[at] as number);
    return this.#isFull();
  }

  #tallyMatch(distance: number, length: number): boolean {
    this.#block.match(distance, length - LEAST);
    return this.#isFull();
  }

  /** GNU gzip ends a block early where it compresses well: the next one may need another code. */
  #isFull(): boolean {
    const { count, matches } = this.#block;
    if (this.#isGnu && this.#level > 2 && (count & 0xfff) === 0) {
      const fewMatches = matches < Math.floor(count / 2);
      const input = this.#at - this.#blockStart;
      if (fewMatches && this.#block.guess() < Math.floor(input / 2)) return true;
    }
    return count === this.#capacity;
  }

  #flush(isLast: boolean): void {
    const [start, end] = [this.#blockStart, this.#at];
    const stored = start >= 0 ? this.#window.subarray(start, end) : undefined;
    this.#block.flush(stored, end - start, isLast);
    this.#blockStart = end;
  }
}

/** How many bytes agree; 0 where they cannot be more than `best`. */
function commonLength(window: Uint8Array, match: number, at: number, best: number): number {
  if (window[match + best] !== window[at + best]) return 0;
  if (window[match + best - 1] !== window[at + best - 1]) return 0;
  if (window[match] !== window[at] || window[match + 1] !== window[at + 1]) return 0;
  let length = 2;
  while (length < MOST && window[match + length] === window[at + length]) length += 1;
  return length;
}
