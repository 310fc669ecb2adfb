import { isGzip } from '../../core/archive/gunzip.ts';
import { Bits, type CodeLengths, FIXED_CODES, readCodeLengths } from './code-lengths.ts';
import { DecodingTable, DISTANCE_ENTRIES, LITERAL_ENTRIES, UNKNOWN } from './decoding-table.ts';
import { gzipHeaderLength } from './gzip-header.ts';
import * as symbols from './symbols.ts';

const TRAILER_BYTES = 8;
/** More than one symbol takes, with what is read ahead of it. */
const SYMBOL_BYTES = 16;
const MOST_HEADER_BYTES = 64 * 1024;
const OUTPUT_WORDS = 128 * 1024;
const [LITERAL_BITS, DISTANCE_BITS] = [10, 9];
const [LITERAL_MASK, DISTANCE_MASK] = [2 ** LITERAL_BITS - 1, 2 ** DISTANCE_BITS - 1];
const FIRST_LENGTH = symbols.LENGTHS << 8;

type Phase = 'member' | 'block' | 'stored' | 'symbols' | 'trailer';
const NEEDED: Readonly<Record<Phase, number>> = {
  member: MOST_HEADER_BYTES,
  block: symbols.MOST_CODE_BYTES,
  stored: 1,
  symbols: SYMBOL_BYTES,
  trailer: TRAILER_BYTES,
};

/** Takes the Huffman codes off a gzip file of any number of members. What cannot be put back exactly is a `RangeError`. */
export class SymbolReader {
  #input: Buffer = Buffer.allocUnsafeSlow(0);
  #view = new DataView(this.#input.buffer);
  /** Bytes of the input without the zeros behind its end. */
  #end = 0;
  /** The next bit. */
  #at = 0;
  #isOver = false;
  #phase: Phase = 'member';
  #isLastBlock = false;
  #storedLeft = 0;
  readonly #literals = new DecodingTable(LITERAL_BITS, LITERAL_ENTRIES);
  readonly #distances = new DecodingTable(DISTANCE_BITS, DISTANCE_ENTRIES);
  readonly #out = new Uint16Array(OUTPUT_WORDS);
  #filled = 0;

  /** The symbols of the next bytes; each piece is valid until the next one is asked for. */
  *write(bytes: Uint8Array): Generator<Buffer> {
    this.#append(bytes);
    yield* this.#run();
  }

  *finish(): Generator<Buffer> {
    this.#isOver = true;
    const end = this.#end - (this.#at >>> 3);
    this.#append(Buffer.alloc(symbols.MOST_CODE_BYTES));
    this.#end = end;
    yield* this.#run();
    if (this.#phase !== 'member') throw new RangeError('It is no whole gzip file');
  }

  /** In the memory that was used before, where it is enough. */
  #append(bytes: Uint8Array): void {
    const left = this.#input.subarray(this.#at >>> 3, this.#end);
    const end = left.length + bytes.length;
    const input = end > this.#input.length ? Buffer.allocUnsafeSlow(end) : this.#input;
    input.set(left);
    input.set(bytes, left.length);
    this.#input = input;
    this.#view = new DataView(input.buffer);
    this.#end = end;
    this.#at &= 7;
  }

  *#run(): Generator<Buffer> {
    while (this.#canGoOn()) {
      this.#step();
      if (this.#filled > OUTPUT_WORDS / 4) yield this.#take();
    }
    yield this.#take();
  }

  #canGoOn(): boolean {
    const left = this.#end - Math.ceil(this.#at / 8);
    if (this.#isOver && left < 0) throw new RangeError('It is no whole gzip file');
    return this.#isOver ? left > 0 : left >= NEEDED[this.#phase];
  }

  #step(): void {
    if (this.#phase === 'member') this.#member();
    else if (this.#phase === 'block') this.#block();
    else if (this.#phase === 'stored') this.#stored();
    else if (this.#phase === 'symbols') this.#symbols();
    else this.#raw(TRAILER_BYTES, 'member');
  }

  #take(): Buffer {
    const taken = symbols.bytesOf(this.#out.subarray(0, this.#filled));
    this.#filled = 0;
    return taken;
  }

  #put(word: number): void {
    this.#out[this.#filled] = word;
    this.#filled += 1;
  }

  #member(): void {
    const start = this.#at / 8;
    const head = this.#input.subarray(start, Math.min(this.#end, start + MOST_HEADER_BYTES));
    const length = isGzip(head) ? gzipHeaderLength(head) : undefined;
    if (length === undefined) throw new RangeError('It is no gzip file');
    this.#raw(length, 'block');
  }

  #raw(length: number, next: Phase): void {
    this.#put(symbols.RAW);
    this.#put(length);
    this.#bytes(length);
    this.#phase = next;
  }

  /** Whole bytes, one in each word. */
  #bytes(length: number): void {
    const start = this.#at / 8;
    this.#out.set(this.#input.subarray(start, start + length), this.#filled);
    this.#filled += length;
    this.#at += length * 8;
  }

  #block(): void {
    const bits = new Bits(this.#input, this.#at);
    const first = bits.take(3);
    this.#put(symbols.BLOCK + first);
    this.#isLastBlock = (first & 1) === 1;
    const kind = first >> 1;
    this.#at = bits.at;
    if (kind === symbols.STORED) this.#beginStored();
    else if (kind === symbols.FIXED) this.#setCodes(FIXED_CODES);
    else if (kind === symbols.DYNAMIC) this.#beginDynamic(bits);
    else throw new RangeError('It is no gzip file');
  }

  #beginStored(): void {
    this.#align();
    const length = this.#input.readUInt16LE(this.#at / 8);
    if ((length ^ this.#input.readUInt16LE(this.#at / 8 + 2)) !== 0xffff)
      throw new RangeError('It is no gzip file');
    this.#put(length);
    this.#at += 32;
    this.#storedLeft = length;
    this.#phase = 'stored';
    if (length === 0) this.#endBlock();
  }

  #stored(): void {
    const count = Math.min(this.#storedLeft, this.#end - this.#at / 8);
    this.#bytes(count);
    this.#storedLeft -= count;
    if (this.#storedLeft === 0) this.#endBlock();
  }

  #beginDynamic(bits: Bits): void {
    const codes = readCodeLengths(bits);
    const again = new Bits(this.#input, this.#at);
    this.#put(bits.at - again.at);
    while (again.at < bits.at) this.#put(again.take(Math.min(16, bits.at - again.at)));
    this.#at = bits.at;
    this.#setCodes(codes);
  }

  #setCodes({ literals, distances }: CodeLengths): void {
    this.#literals.set(literals);
    this.#distances.set(distances);
    this.#phase = 'symbols';
  }

  /** Goes on with a whole byte; the bits before it are zero in what every program writes. */
  #align(): void {
    const bits = new Bits(this.#input, this.#at);
    if (bits.take(-this.#at & 7) !== 0) throw new RangeError('There are bits where none belong');
    this.#at = bits.at;
  }

  #endBlock(): void {
    this.#phase = this.#isLastBlock ? 'trailer' : 'block';
    if (this.#isLastBlock) this.#align();
  }

  /** One function with variables of its own, and written out: here is where the time goes. */
  #symbols(): void {
    const [view, out] = [this.#view, this.#out];
    const [literals, distances] = [this.#literals.short, this.#distances.short];
    const last = (this.#isOver ? this.#end : this.#end - SYMBOL_BYTES) * 8;
    let [at, filled] = [this.#at, this.#filled];
    let word = 0;
    while (at <= last && filled < OUTPUT_WORDS - 2) {
      let bits = view.getUint32(at >>> 3, true) >>> (at & 7);
      let found = literals[bits & LITERAL_MASK] || this.#literals.long(bits);
      at += found & 15;
      word = found >>> 8;
      if (word < symbols.LENGTHS) {
        out[filled++] = word;
        // Enough bits are at hand for a second one, which it mostly is.
        found = literals[(bits >>> (found & 15)) & LITERAL_MASK] as number;
        if (found === 0 || found >= FIRST_LENGTH) continue;
        out[filled++] = found >>> 8;
        at += found & 15;
        continue;
      }
      if (word >= symbols.END_OF_BLOCK) break;
      let extra = (found >>> 4) & 15;
      word += (bits >>> (found & 15)) & ((1 << extra) - 1);
      out[filled++] = word;
      at += extra;
      bits = view.getUint32(at >>> 3, true) >>> (at & 7);
      found = distances[bits & DISTANCE_MASK] || this.#distances.long(bits);
      at += found & 15;
      extra = (found >>> 4) & 15;
      bits = view.getUint32(at >>> 3, true) >>> (at & 7);
      out[filled++] = (found >>> 8) + (bits & ((1 << extra) - 1));
      at += extra;
    }
    [this.#at, this.#filled] = [at, filled];
    if (word < symbols.END_OF_BLOCK) return;
    if (word === UNKNOWN) throw new RangeError('A code means nothing');
    this.#put(word);
    this.#endBlock();
  }
}
