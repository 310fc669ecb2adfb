import { access } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { OldPages, PAGE_BYTES } from './old-pages.ts';

/** Every byte tells where it is. */
const byteAt = (at: number) => (at * 31 + (at >> 12)) & 255;

async function* pieces(size: number, piece: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += piece)
    yield Uint8Array.from({ length: Math.min(piece, size - at) }, (_, offset) =>
      byteAt(at + offset),
    );
}

describe('OldPages', () => {
  const size = 3 * PAGE_BYTES + 1234;

  test.each([
    ['memory', size, false],
    ['a file', PAGE_BYTES, true],
  ])('give every byte back from %s', async (_where, mostInMemory, isFile) => {
    const spill = join(await tempDir(), 'spill');
    const pages = await OldPages.of(pieces(size, 700_001), spill, mostInMemory);

    await expect(
      access(spill).then(
        () => true,
        () => false,
      ),
    ).resolves.toBe(isFile);
    fc.assert(
      fc.property(fc.nat(size - 1), (at) => {
        expect(pages.page(at)[at % PAGE_BYTES]).toBe(byteAt(at));
      }),
    );
    for (const outside of [-1, size, Number.NaN])
      expect(() => pages.page(outside)).toThrow(RangeError);
    await pages.close();
  });
});
