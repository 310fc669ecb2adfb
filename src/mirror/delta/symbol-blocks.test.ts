import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Blocks } from '../../../test/support/deflate-blocks.ts';
import { SymbolReader } from './symbol-reader.ts';
import { SymbolWriter } from './symbol-writer.ts';
import * as symbols from './symbols.ts';

const END = 256;
const [LENGTH_3, LENGTH_258_BY_31] = [257, 284];

/** Every length of a code once, the longest twice, for these symbols. */
function steps(count: number, ...of: readonly number[]): number[] {
  const lengths = Array.from({ length: count }, () => 0);
  for (const [at, symbol] of of.entries()) lengths[symbol] = Math.min(at + 1, 15);
  return lengths;
}

const letters = Array.from({ length: 13 }, (_, at) => 0x61 + at);
/** "a" takes one bit; the end of a block 14, a length 15. */
const LITERALS = steps(286, ...letters, END, LENGTH_3, LENGTH_258_BY_31);
/** Distances of 15 bits are those with the most extra bits. */
const DISTANCES = steps(30, ...Array.from({ length: 16 }, (_, at) => at + 14));
const EXTRA_OF_DISTANCE = (symbol: number) => Math.max(0, (symbol >> 1) - 1);

const many = (count: number) => Array.from({ length: count }, () => 0x61);

function wordsOf(gzip: Buffer, piece = 1 << 20): Uint16Array {
  const reader = new SymbolReader();
  const parts: Buffer[] = [];
  const keep = (made: Iterable<Buffer>) => {
    for (const words of made) parts.push(Buffer.from(words));
  };
  for (let at = 0; at < gzip.length; at += piece) keep(reader.write(gzip.subarray(at, at + piece)));
  keep(reader.finish());
  const all = Buffer.concat(parts);
  return new Uint16Array(all.buffer.slice(all.byteOffset, all.byteOffset + all.length));
}

function gzipOf(words: Uint16Array, piece = 1 << 20): Buffer {
  const writer = new SymbolWriter();
  const parts: Buffer[] = [];
  for (let at = 0; at < words.length; at += piece)
    parts.push(Buffer.from(writer.write(symbols.bytesOf(words.subarray(at, at + piece)))));
  return Buffer.concat([...parts, Buffer.from(writer.finish())]);
}

/** It is real deflate, and comes back as it was. */
function expectBack(blocks: Blocks, ...pieces: readonly number[]): Uint16Array {
  const gzip = blocks.gzip();
  inflateRawSync(blocks.deflate());
  const words = wordsOf(gzip);
  for (const piece of pieces) {
    expect(Buffer.compare(symbols.bytesOf(wordsOf(gzip, piece)), symbols.bytesOf(words))).toBe(0);
    expect(gzipOf(words, piece).equals(gzip)).toBe(true);
  }
  return words;
}

describe('SymbolReader and SymbolWriter', () => {
  test('know codes of 15 bits with all extra bits, in a match of 48 bits', () => {
    const blocks = new Blocks();
    // Enough before it for the largest distance.
    for (let part = 0; part < 9; part += 1) blocks.stored(Buffer.alloc(4096, 'x'));
    blocks.dynamic(LITERALS, DISTANCES, true);
    for (const letter of letters) blocks.symbols(LITERALS, letter);
    for (let symbol = 14; symbol < 30; symbol += 1) {
      const extra = EXTRA_OF_DISTANCE(symbol);
      blocks.symbols(LITERALS, LENGTH_3).symbols(DISTANCES, symbol).bits(0, extra);
      blocks.symbols(LITERALS, LENGTH_258_BY_31).bits(30, 5);
      blocks.symbols(DISTANCES, symbol).bits(2 ** extra - 1, extra);
    }
    blocks.symbols(LITERALS, ...letters.toReversed(), END);

    const words = expectBack(blocks, 7, 1000);

    // 257 bytes, 32768 back, is the last match.
    const tail = [symbols.LENGTHS + 254, 32767, ...letters.toReversed(), symbols.END_OF_BLOCK];
    expect([...words.slice(-tail.length - 10, -10)]).toEqual(tail);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7])('go on with blocks that begin %i bits later', (bits) => {
    const more = many(bits);
    const blocks = new Blocks();
    // The header of a block takes as many bits each time, and "a" takes one.
    blocks.dynamic(LITERALS, DISTANCES).symbols(LITERALS, ...more, END);
    blocks.stored(Buffer.from('stored'));
    blocks.dynamic(LITERALS, DISTANCES).symbols(LITERALS, ...more, END);
    blocks.fixed().bits(0, 7);
    blocks.stored(Buffer.alloc(0));
    blocks.dynamic(LITERALS, DISTANCES).symbols(LITERALS, ...many(300), ...more, END);
    blocks.dynamic(LITERALS, DISTANCES, true).symbols(LITERALS, ...more, END);

    const words = expectBack(blocks, 1, 3, 1000);

    expect(words.filter((word) => word === 0x61).length).toBe(300 + 4 * bits);
  });

  test('go on where the output is full within a block', () => {
    const blocks = new Blocks().dynamic(LITERALS, DISTANCES, true);
    for (let part = 0; part < 40; part += 1) blocks.symbols(LITERALS, ...many(10_000));
    blocks.symbols(LITERALS, END);

    const words = expectBack(blocks, 1 << 22);

    expect(words.filter((word) => word === 0x61).length).toBe(400_000);
  });

  test('refuse more codes than fit, wherever they stand', () => {
    const tooMany = Array.from({ length: 30 }, () => 4);
    const reads = [
      new Blocks().dynamic(LITERALS, tooMany, true).symbols(LITERALS, END),
      new Blocks().dynamic([...LITERALS, 1].slice(1), DISTANCES, true).bits(0, 60),
    ];
    for (const blocks of reads) expect(() => wordsOf(blocks.gzip())).toThrow('more codes than fit');

    const description = new Blocks().description(LITERALS, tooMany);
    const bytes = Buffer.concat([description.deflate(), Buffer.alloc(1)]);
    const words = Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readUInt16LE(2 * at));
    const begun = [symbols.BLOCK + 5, description.length, ...words, symbols.END_OF_BLOCK];
    expect(() => gzipOf(Uint16Array.from(begun))).toThrow('more codes than fit');
  });

  test('refuse codes and words that mean nothing', () => {
    const begun = () => new Blocks().dynamic(LITERALS, steps(30, 0, 1), true);
    // A distance that has no code, and two of the fixed codes.
    const distance = begun().symbols(LITERALS, 0x61, LENGTH_3).bits(3, 2);
    const fixed = new Blocks().fixed(true).bits(0b01100011, 8);
    for (const blocks of [distance, fixed])
      expect(() => wordsOf(blocks.bits(0, 99).gzip())).toThrow('A code means nothing');

    const words = wordsOf(begun().symbols(LITERALS, 0x61, 0x62, END).gzip());
    const at = words.lastIndexOf(0x61);
    const changed = [
      { 0: 0x7a },
      { 0: symbols.LENGTHS, 1: 7 },
      { 0: symbols.LENGTHS, 1: 32_768 },
      { 0: symbols.RAW },
      { 0: 0xffff },
    ];
    for (const change of changed) {
      const other = words.slice();
      for (const [offset, word] of Object.entries(change)) other[at + Number(offset)] = word;
      expect(() => gzipOf(other)).toThrow('There is no symbol where one belongs');
    }
  });

  test('end with any bits and any words behind the codes of a block, and refuse by a RangeError', () => {
    const noise = fc
      .uint8Array({ minLength: 200, maxLength: 9000 })
      .map((bytes) => Buffer.from(bytes));
    const piece = fc.integer({ min: 1, max: 10_000 });
    let [refused, made] = [0, 0];
    const attempt = (work: () => unknown) => {
      try {
        work();
        made += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        refused += 1;
      }
    };
    fc.assert(
      fc.property(noise, piece, fc.boolean(), (bytes, size, isFixed) => {
        const begun = isFixed ? new Blocks().fixed() : new Blocks().dynamic(LITERALS, DISTANCES);
        const damaged = Buffer.concat([begun.gzip().subarray(0, -9), bytes]);
        attempt(() => wordsOf(damaged, size));
        const random = Uint16Array.from(bytes, (byte, at) => (byte * 7 + (at % 3)) % 520);
        attempt(() => gzipOf(Uint16Array.from([symbols.BLOCK + 2, ...random]), size));
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(100);
    expect(made + refused).toBe(300);
  });
});
