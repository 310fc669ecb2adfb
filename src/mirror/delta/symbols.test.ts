import { constants, gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { openRecompressor } from './recompressor.ts';
import { SymbolReader } from './symbol-reader.ts';
import { SymbolWriter } from './symbol-writer.ts';

// A thousand files, each with a module of its own, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

/** Writes in pieces of any size; words are never cut in two. */
function through(program: Pick<SymbolWriter, 'write' | 'finish'>, all: Buffer, piece: number) {
  const parts: Buffer[] = [];
  for (let at = 0; at < all.length; at += piece)
    parts.push(Buffer.from(program.write(all.subarray(at, at + piece))));
  return Buffer.concat([...parts, Buffer.from(program.finish())]);
}

function symbolsOf(gzip: Buffer, piece = 1 << 20): Buffer {
  const reader = new SymbolReader();
  const parts: Buffer[] = [];
  for (let at = 0; at < gzip.length; at += piece)
    for (const words of reader.write(gzip.subarray(at, at + piece))) parts.push(Buffer.from(words));
  for (const words of reader.finish()) parts.push(Buffer.from(words));
  return Buffer.concat(parts);
}
const gzipOf = (words: Buffer, piece = 1 << 20) => through(new SymbolWriter(), words, piece);

function orNothing<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Letters of any alphabet in any order, repeated: literals, lengths and distances of all kinds. */
const content = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 3000 }), fc.integer({ min: 1, max: 60 }))
  .chain(([bytes, times]) =>
    fc.uint8Array({ maxLength: 300 }).map((tail) => {
      const repeated = Array.from({ length: times }, (_, at) => bytes.subarray(at % bytes.length));
      return Buffer.concat([...repeated, tail]);
    }),
  );

const options = fc.record({
  level: fc.integer({ min: 0, max: 9 }),
  memLevel: fc.integer({ min: 1, max: 9 }),
  strategy: fc.constantFrom(
    constants.Z_DEFAULT_STRATEGY,
    constants.Z_FILTERED,
    constants.Z_HUFFMAN_ONLY,
    constants.Z_RLE,
    constants.Z_FIXED,
  ),
});

describe('SymbolReader and SymbolWriter', () => {
  test('give back any gzip file of any number of members, in pieces of any size', () => {
    const member = fc.tuple(content, options).map(([bytes, how]) => gzipSync(bytes, how));
    const gzip = fc.array(member, { minLength: 1, maxLength: 3 });
    const piece = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(gzip, piece, piece, (members, first, second) => {
        const all = Buffer.concat(members);
        const words = symbolsOf(all, first);
        expect(gzipOf(words, second * 2).equals(all)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test.each(['go', 'pgzip', 'klauspost', 'gzip', 'zlib'] as const)(
    'give back what %s makes, with headers that name files and blocks that are stored',
    (program) => {
      const noise = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * at * 7919) >>> 5));
      const input = Buffer.concat([
        noise,
        Buffer.alloc(400_000),
        noise,
        Buffer.from('text '.repeat(9)),
      ]);
      const made = through(
        openRecompressor({ program, version: '1.18.2', level: program === 'gzip' ? 6 : 1 }),
        input,
        1 << 20,
      );
      const named = Buffer.concat([
        made.subarray(0, 10),
        Buffer.from('a name\0'),
        made.subarray(10),
      ]);
      named[3] = 8;
      named.writeUInt16LE(0x8b1f, 0);
      named[2] = 8;

      expect(gzipOf(symbolsOf(named)).equals(named)).toBe(true);
    },
  );

  test('keep the longest length apart from the same one by another code', () => {
    // A fixed block: 'a', then 258 bytes one back, the second time as the code before with 31 more.
    const longest = gzipSync(Buffer.alloc(259, 'a'), { strategy: constants.Z_FIXED });
    const bits = [...'110', ...'10010001', ...'11000100', ...'11111', ...'00000', ...'0000000'];
    const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
    for (const [at, bit] of bits.entries())
      if (bit === '1') bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
    const other = Buffer.concat([longest.subarray(0, 10), bytes, longest.subarray(-8)]);
    expect(gunzipSync(other).equals(Buffer.alloc(259, 'a'))).toBe(true);

    for (const file of [longest, other]) expect(gzipOf(symbolsOf(file)).equals(file)).toBe(true);
    expect(symbolsOf(other).equals(symbolsOf(longest))).toBe(false);
  });

  test('refuse what is cut off, is no gzip, or has something behind it', () => {
    const gzip = gzipSync(Buffer.from('some words, some more words'.repeat(40)));
    for (let end = 1; end < gzip.length; end += 1)
      expect(() => symbolsOf(gzip.subarray(0, end))).toThrow(RangeError);
    expect(() => symbolsOf(Buffer.concat([gzip, Buffer.from('behind')]))).toThrow(RangeError);
    expect(() => symbolsOf(Buffer.from('no gzip at all'))).toThrow(RangeError);
  });

  test('make the beginning of a file of the beginning of its symbols, or nothing', () => {
    const gzip = gzipSync(Buffer.from('some words, some more words'.repeat(40)));
    const words = symbolsOf(gzip);
    for (let end = 2; end < words.length; end += 2) {
      const made = orNothing(() => gzipOf(words.subarray(0, end)));
      if (made) expect(made.equals(gzip.subarray(0, made.length))).toBe(true);
      expect(made?.length ?? 0).toBeLessThan(gzip.length);
    }
  });

  test('never give other bytes for a damaged file: the same ones, or none', () => {
    const whole = gzipSync(Buffer.from('some words, some more words'.repeat(40)));
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(7), (at, bit) => {
        const damaged = Buffer.from(whole);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        const made = orNothing(() => gzipOf(symbolsOf(damaged)));
        expect(made?.equals(damaged) ?? true).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
