import { setImmediate as turn } from 'node:timers/promises';
import { damaged } from './archive-error.ts';
import { BitReader } from './bit-reader.ts';
import { createUnfoldMeter, type UnfoldLimits, type UnfoldMeter } from './unfold-meter.ts';

const BLOCK_MAGIC = 0x314159265359;
const END_MAGIC = 0x177245385090;
/** More than any block takes: 900,001 symbols of at most 20 bits, and its tables. */
const MAX_BLOCK_BYTES = 2_500_000;
const MAX_BLOCK = 900_000;
const GROUP_SYMBOLS = 50;
const MAX_CODE_BITS = 20;
const OUTPUT_CHUNK = 256 * 1024;

/** By the magic of its first block, too: a text may well begin with "BZh". */
export function isBzip2(head: Uint8Array): boolean {
  if (head.length < 10 || head[0] !== 0x42 || head[1] !== 0x5a || head[2] !== 0x68) return false;
  const level = head[3] ?? 0;
  const magic = Buffer.from(head.subarray(4, 10)).readUIntBE(0, 6);
  return level >= 0x31 && level <= 0x39 && (magic === BLOCK_MAGIC || magic === END_MAGIC);
}

/**
 * Decompresses all streams of a bzip2 file as one.
 *
 *   "BZh" level, (block magic, CRC, Huffman tables, symbols)…, end magic, CRC of the CRCs, padding
 *
 * A block is decoded as a whole, at most 900 kB, and its CRC is checked before a byte of it is given out.
 */
export async function* bunzip2(
  chunks: AsyncIterable<Uint8Array>,
  limits?: UnfoldLimits,
): AsyncGenerator<Buffer> {
  const meter = createUnfoldMeter(limits);
  const bits = new BitReader(chunks, MAX_BLOCK_BYTES);
  const work = new Uint32Array(MAX_BLOCK);
  try {
    for (let isFirst = true; await bits.fill(); isFirst = false) {
      const capacity = streamHeader(bits, isFirst);
      if (capacity === 0) return;
      yield* blocksOf(bits, work.subarray(0, capacity), meter);
      bits.align();
    }
  } finally {
    await bits.close();
  }
}

/** The size of the blocks that follow; 0 where only zeros pad the end of the file. */
function streamHeader(bits: BitReader, isFirst: boolean): number {
  const magic = bits.read(24);
  if (magic === 0 && !isFirst) return 0;
  const level = bits.read(8) - 0x30;
  if (magic !== 0x425a68 || level < 1 || level > 9) throw damaged('no bzip2 header');
  return (level * MAX_BLOCK) / 9;
}

async function* blocksOf(
  bits: BitReader,
  work: Uint32Array,
  meter: UnfoldMeter,
): AsyncGenerator<Buffer> {
  let total = 0;
  for (;;) {
    await bits.fill();
    const before = bits.position;
    const magic = bits.read(24) * 2 ** 24 + bits.read(24);
    const crc = bits.read32();
    if (magic === END_MAGIC) {
      if (crc !== total) throw damaged('the checksum of the whole is wrong');
      return;
    }
    if (magic !== BLOCK_MAGIC) throw damaged('no block where one should be');
    const block = readBlock(bits, work);
    meter.input(bits.position - before);
    yield* checked(unrolled(block, work), crc, meter);
    total = (((total << 1) | (total >>> 31)) ^ crc) >>> 0;
    await turn();
  }
}

interface Block {
  /** Where in the sorted rotations the text begins. */
  readonly origin: number;
  readonly length: number;
}

/** Reads the symbols of a block into the low bytes of `work`. */
function readBlock(bits: BitReader, work: Uint32Array): Block {
  if (bits.read(1) === 1) throw damaged('randomised by an old version');
  const origin = bits.read(24);
  const used = usedBytes(bits);
  const tables = bits.read(3);
  const count = bits.read(15);
  if (tables < 2 || tables > 6 || count === 0) throw damaged('its tables are impossible');
  const selectors = readSelectors(bits, count, tables);
  const codes = Array.from({ length: tables }, () => readCode(bits, used.length + 2));
  const length = readSymbols(symbolReader(bits, selectors, codes), work, used);
  if (origin >= length) throw damaged('a block begins outside itself');
  return { origin, length };
}

function usedBytes(bits: BitReader): number[] {
  const ranges = bits.read(16);
  const used: number[] = [];
  for (let range = 0; range < 16; range += 1) {
    if ((ranges & (0x8000 >> range)) === 0) continue;
    const set = bits.read(16);
    for (let at = 0; at < 16; at += 1) if ((set & (0x8000 >> at)) !== 0) used.push(range * 16 + at);
  }
  if (used.length === 0) throw damaged('a block uses no byte');
  return used;
}

function readSelectors(bits: BitReader, count: number, tables: number): Uint8Array {
  const selectors = new Uint8Array(count);
  const order = [0, 1, 2, 3, 4, 5];
  for (let at = 0; at < count; at += 1) {
    let index = 0;
    while (bits.read(1) === 1) {
      index += 1;
      if (index >= tables) throw damaged('it names a table that is not there');
    }
    const [table = 0] = order.splice(index, 1);
    order.unshift(table);
    selectors[at] = table;
  }
  return selectors;
}

/** A canonical Huffman code: for each length the last code of it, and where its symbols begin. */
interface Code {
  readonly limit: Int32Array;
  readonly offset: Int32Array;
  readonly symbols: Uint16Array;
  readonly shortest: number;
}

function readCode(bits: BitReader, size: number): Code {
  const lengths = new Uint8Array(size);
  let length = bits.read(5);
  for (let symbol = 0; symbol < size; symbol += 1) {
    for (;;) {
      if (length < 1 || length > MAX_CODE_BITS) throw damaged('a code is too long');
      if (bits.read(1) === 0) break;
      length += bits.read(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return codeOf(lengths);
}

function codeOf(lengths: Uint8Array): Code {
  const counts = new Int32Array(MAX_CODE_BITS + 2);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const limit = new Int32Array(MAX_CODE_BITS + 2).fill(-1);
  const offset = new Int32Array(MAX_CODE_BITS + 2);
  const symbols = new Uint16Array(lengths.length);
  let [code, at] = [0, 0];
  for (let length = 1; length <= MAX_CODE_BITS; length += 1) {
    offset[length] = at - code;
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      symbols[at] = symbol;
      at += 1;
    }
    code += counts[length] ?? 0;
    limit[length] = code - 1;
    if (code > 2 ** length) throw damaged('a code is impossible');
    code *= 2;
  }
  return { limit, offset, symbols, shortest: Math.min(...lengths) };
}

function nextSymbol(bits: BitReader, { limit, offset, symbols, shortest }: Code): number {
  let code = bits.read(shortest);
  for (let length = shortest; length <= MAX_CODE_BITS; length += 1) {
    if (code <= (limit[length] ?? -1)) return symbols[code + (offset[length] ?? 0)] ?? 0;
    code = code * 2 + bits.read(1);
  }
  throw damaged('a symbol has no meaning');
}

/** Symbols come in groups, and each group says which code it has. */
function symbolReader(bits: BitReader, selectors: Uint8Array, codes: readonly Code[]) {
  let [left, group] = [0, 0];
  let code: Code | undefined;
  return (): number => {
    if (left === 0) {
      code = codes[selectors[group] ?? codes.length];
      group += 1;
      left = GROUP_SYMBOLS;
    }
    left -= 1;
    if (!code) throw damaged('a block goes on after its end');
    return nextSymbol(bits, code);
  };
}

/** Undoes run lengths and move-to-front. */
function readSymbols(next: () => number, work: Uint32Array, used: readonly number[]): number {
  const front = Uint8Array.from(used);
  const end = used.length + 1;
  let [length, run, place] = [0, 0, 1];
  for (;;) {
    const symbol = next();
    if (symbol <= 1) {
      run += place * (symbol + 1);
      place *= 2;
    }
    if (length + run + Number(symbol > 1 && symbol < end) > work.length)
      throw damaged('a block is too long');
    if (symbol <= 1) continue;
    work.fill(front[0] ?? 0, length, length + run);
    length += run;
    [run, place] = [0, 1];
    if (symbol === end) return length;
    const byte = front[symbol - 1] ?? 0;
    front.copyWithin(1, 0, symbol - 1);
    front[0] = byte;
    work[length] = byte;
    length += 1;
  }
}

/** Undoes the sorting of rotations, then the run lengths of the text itself: four alike and a count. */
function* unrolled({ origin, length }: Block, work: Uint32Array): Generator<Buffer> {
  linkRotations(work, length);
  let out = Buffer.allocUnsafe(OUTPUT_CHUNK);
  let [at, alike, last] = [0, 0, -1];
  let entry = (work[origin] ?? 0) >>> 8;
  for (let left = length; left > 0; left -= 1) {
    const link = work[entry] ?? 0;
    const byte = link & 0xff;
    entry = link >>> 8;
    const isCount = alike === 4;
    if (at + 256 > OUTPUT_CHUNK) {
      yield out.subarray(0, at);
      [out, at] = [Buffer.allocUnsafe(OUTPUT_CHUNK), 0];
    }
    if (isCount) {
      out.fill(last, at, at + byte);
      at += byte;
      [alike, last] = [0, -1];
      continue;
    }
    alike = byte === last ? alike + 1 : 1;
    last = byte;
    out[at] = byte;
    at += 1;
  }
  yield out.subarray(0, at);
}

/** Writes into the high bits of each entry where the text goes on. */
function linkRotations(work: Uint32Array, length: number): void {
  const starts = new Uint32Array(257);
  for (let at = 0; at < length; at += 1) {
    const next = ((work[at] ?? 0) & 0xff) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let byte = 1; byte < 257; byte += 1)
    starts[byte] = (starts[byte] ?? 0) + (starts[byte - 1] ?? 0);
  for (let at = 0; at < length; at += 1) {
    const byte = (work[at] ?? 0) & 0xff;
    const to = starts[byte] ?? 0;
    starts[byte] = to + 1;
    work[to] = ((work[to] ?? 0) | (at << 8)) >>> 0;
  }
}

/** Gives out a block once its checksum was found right. */
function* checked(parts: Iterable<Buffer>, crc: number, meter: UnfoldMeter): Generator<Buffer> {
  const whole: Buffer[] = [];
  let sum = 0xffffffff;
  for (const part of parts) {
    meter.output(part.length);
    for (let at = 0; at < part.length; at += 1)
      sum = ((sum << 8) ^ (CRC_TABLE[(sum >>> 24) ^ (part[at] ?? 0)] ?? 0)) >>> 0;
    whole.push(part);
  }
  if (~sum >>> 0 !== crc) throw damaged('the checksum of a block is wrong');
  yield* whole;
}

/** CRC-32 with the highest bit first. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  return crc >>> 0;
});
