import { createHash, randomFillSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSymbolModule, type SymbolModule } from './symbol-module.ts';

const MOST_CODES = 286;

/** Lengths of codes of which not one more would fit, for a part of the symbols; sometimes one is left out again. */
const lengths = (count: number): fc.Arbitrary<number[]> =>
  fc
    .tuple(fc.array(fc.nat(), { maxLength: count - 2 }), fc.nat(count - 1), fc.boolean())
    .map(([splits, first, isWhole]) => {
      const leaves = [1, 1];
      for (const split of splits) {
        const at = split % leaves.length;
        const length = leaves[at] ?? 0;
        if (length < 15) leaves.splice(at, 1, length + 1, length + 1);
      }
      const all = Array.from({ length: count }, () => 0);
      for (const [at, length] of leaves.entries()) all[(first + at) % count] = length;
      if (!isWhole) all[first] = 0;
      return all;
    });

function areasOf(module: SymbolModule): Record<'input' | 'output' | 'given' | 'made', Buffer> {
  return {
    input: module.bytes(module.input, module.inputBytes),
    output: module.bytes(module.output, { value: module.outputWords.value * 2 }),
    given: module.bytes(module.given, { value: module.givenWords.value * 2 }),
    made: module.bytes(module.made, module.madeBytes),
  };
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('the module', () => {
  const literals = lengths(MOST_CODES);
  const distances = lengths(30);
  /** Where the caller stops it: near the beginning, so that many codes are tried, or at the very end. */
  const end = fc.oneof(fc.nat(5000), fc.constant(1024 * 1024));

  test('decodes any bits with any codes within its areas, and ends', () => {
    const module = openSymbolModule();
    const { input, output, given, made } = areasOf(module);
    randomFillSync(input);
    const before = [input, given, made].map(digest);
    let most = 0;
    fc.assert(
      fc.property(literals, distances, fc.nat(7), end, fc.nat(9), (one, other, bit, last, room) => {
        module.set(Uint16Array.from(one), module.setLiteralCodes);
        module.set(Uint16Array.from(other), module.setDistanceCodes);
        const word = module.outputWords.value - room * 1000;
        const unused = output.subarray(0, word * 2);
        const kept = digest(unused);

        module.decode(bit, last, word);
        most = Math.max(most, module.nextWord.value - word);

        expect(module.nextBit.value).toBeLessThanOrEqual((last + 24) * 8);
        expect(module.nextWord.value).toBeLessThanOrEqual(module.outputWords.value);
        expect(digest(unused)).toBe(kept);
      }),
      { numRuns: 60 },
    );
    expect([input, given, made].map(digest)).toEqual(before);
    expect(most).toBeGreaterThan(1000);
  });

  test('encodes any words with any codes within its areas, and ends', () => {
    const module = openSymbolModule();
    const { input, output, made } = areasOf(module);
    let furthest = 0;
    const before = [input, output].map(digest);
    const words = module.words(module.given, module.givenWords);
    const modulus = fc.constantFrom(256, 512, 520, 65_536);
    fc.assert(
      fc.property(literals, distances, end, modulus, fc.nat(7), (one, other, count, most, bits) => {
        module.set(Uint16Array.from(one), module.setWordCodes);
        module.set(Uint16Array.from(other), module.setDistanceEntries);
        const last = Math.min(count, words.length);
        randomFillSync(words.subarray(0, last));
        for (let at = 0; at < last; at += 1) words[at] = (words[at] ?? 0) % most;

        module.encode(0, last, 0, 0, bits);
        furthest = Math.max(furthest, module.nextMade.value);

        expect(module.nextGiven.value).toBeLessThanOrEqual(last);
        expect(module.nextMade.value).toBeLessThanOrEqual(made.length - 8);
        expect(module.restBits.value).toBeLessThan(8);
      }),
      { numRuns: 60 },
    );
    expect([input, output].map(digest)).toEqual(before);
    expect(furthest).toBeGreaterThan(1000);
  });
});
