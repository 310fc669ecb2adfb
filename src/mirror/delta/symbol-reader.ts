import { isGzip } from '../../core/archive/gunzip.ts';
import { Bits, type CodeLengths, FIXED_CODES, readCodeLengths } from './code-lengths.ts';
import { gzipHeaderLength } from './gzip-header.ts';
import { ENDED, openSymbolModule, REFUSED } from './symbol-module.ts';
import * as symbols from './symbols.ts';

const TRAILER_BYTES = 8;
/** What the module takes and looks at behind the byte where it is to stop. */
const AHEAD_BYTES = 32;
const MOST_HEADER_BYTES = 64 * 1024;
/** The module has room for so much, for what was left before, and for zeros behind the end. */
const PIECE_BYTES = 1024 * 1024;

type Phase = 'member' | 'block' | 'stored' | 'symbols' | 'trailer';
const NEEDED: Readonly<Record<Phase, number>> = {
  member: MOST_HEADER_BYTES,
  block: symbols.MOST_CODE_BYTES,
  stored: 1,
  symbols: AHEAD_BYTES,
  trailer: TRAILER_BYTES,
};

/** Takes the Huffman codes off a gzip file of any number of members. What cannot be put back exactly is a `RangeError`. */
export class SymbolReader {
  readonly #module = openSymbolModule();
  readonly #input = this.#module.bytes(this.#module.input, this.#module.inputBytes);
  /** Bytes of the input without the zeros behind its end. */
  #end = 0;
  /** The next bit. */
  #at = 0;
  #isOver = false;
  #phase: Phase = 'member';
  #isLastBlock = false;
  #storedLeft = 0;
  readonly #out = this.#module.words(this.#module.output, this.#module.outputWords);
  #filled = 0;

  /** The symbols of the next bytes; each piece is valid until the next one is asked for. */
  *write(bytes: Uint8Array): Generator<Buffer> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#append(bytes.subarray(at, at + PIECE_BYTES));
      yield* this.#run();
    }
  }

  *finish(): Generator<Buffer> {
    this.#isOver = true;
    const end = this.#end - (this.#at >>> 3);
    this.#append(Buffer.alloc(symbols.MOST_CODE_BYTES));
    this.#end = end;
    yield* this.#run();
    if (this.#phase !== 'member') throw new RangeError('It is no whole gzip file');
  }

  /** Behind what is left. */
  #append(bytes: Uint8Array): void {
    const start = this.#at >>> 3;
    const end = this.#end - start + bytes.length;
    this.#input.copyWithin(0, start, this.#end);
    this.#input.set(bytes, this.#end - start);
    this.#end = end;
    this.#at &= 7;
  }

  *#run(): Generator<Buffer> {
    while (this.#canGoOn()) {
      this.#step();
      if (this.#filled > this.#out.length / 4) yield this.#take();
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
    this.#module.set(literals, this.#module.setLiteralCodes);
    this.#module.set(distances, this.#module.setDistanceCodes);
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

  #symbols(): void {
    const last = this.#isOver ? this.#end : this.#end - AHEAD_BYTES;
    const outcome = this.#module.decode(this.#at, last, this.#filled);
    this.#at = this.#module.nextBit.value;
    this.#filled = this.#module.nextWord.value;
    if (outcome === REFUSED) throw new RangeError('A code means nothing');
    if (outcome === ENDED) this.#endBlock();
  }
}
