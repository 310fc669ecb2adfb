import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Recompression } from './methods.ts';
import { openRecompressor } from './recompressor.ts';

/** Text, zeros and noise: 2.5 MB that always are the same. */
function sample(): Buffer {
  let seed = 12345;
  const random = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed >>> 8;
  };
  const list = <T>(length: number, make: () => T) => Array.from({ length }, make);
  const letter = () => String.fromCharCode(97 + (random() % 26));
  const words = list(400, () => list(2 + (random() % 8), letter).join(''));
  const parts: Buffer[] = [];
  for (let size = 0; size < 2_500_000; size += parts.at(-1)?.length ?? 0) {
    const kind = random() % 50;
    if (kind === 0) parts.push(Buffer.alloc(random() % 20_000));
    else if (kind === 1) parts.push(Buffer.from(list(random() % 30_000, () => random() & 255)));
    else parts.push(Buffer.from(list(random() % 800, () => words[random() % 400]).join(' ')));
  }
  return Buffer.concat(parts);
}

const SAMPLE = sample();
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function compress(method: Recompression, pieceBytes: number): Buffer {
  const program = openRecompressor(method);
  const parts: Buffer[] = [];
  for (let at = 0; at < SAMPLE.length; at += pieceBytes)
    parts.push(Buffer.from(program.write(SAMPLE.subarray(at, at + pieceBytes))));
  return Buffer.concat([...parts, Buffer.from(program.finish())]);
}

// What the real programs made of the sample: gzip 1.12, zlib 1.2.13, Go 1.26 on Linux.
describe('openRecompressor', () => {
  test('gives a sample that has not changed', () => {
    expect(sha256(SAMPLE)).toBe('467c53bb289f5edadc0ea83c5d9f0e0158c493c91022ac2ca459b85cc71c8d0e');
  });

  test.each<[Recompression['program'], string, number, string]>([
    ['gzip', '1.12', 1, '677a0783ff6b6a97'],
    ['gzip', '1.12', 3, '348150ef98bad98c'],
    ['gzip', '1.12', 6, '80fd12977aa196f2'],
    ['gzip', '1.12', 9, '3cecec4ba10f7b15'],
    ['zlib', '1.2.11', 1, 'e59696d0997614bb'],
    ['zlib', '1.2.11', 3, 'da55b9459eea69f9'],
    ['zlib', '1.2.11', 6, 'b0963595f1c16a0a'],
    ['zlib', '1.2.11', 9, '8aaee5c3ac15390a'],
    ['go', '1.26', -1, '0c5d4d38cb85f57d'],
    ['pgzip', '1.13.6', -1, '1dee8a5a98f8a661'],
    ['pgzip', '1.15.9', -1, '60d855001fa8346d'],
    ['pgzip', '1.16.7', -1, '43fdf42e36a22e8f'],
    ['pgzip', '1.18.2', -1, '9607b04c18c7ed73'],
    ['klauspost', '1.13.6', -1, '366c1c6517f5bae6'],
    ['klauspost', '1.15.9', -1, 'ba334feb678abb2e'],
    ['klauspost', '1.16.7', -1, '361546ec32af6e24'],
    ['klauspost', '1.18.2', -1, '5a4d184e27c9654a'],
  ])(
    'makes the bytes of %s %s at level %i, in pieces of any size',
    (program, version, level, hex) => {
      const method = { program, version, level };

      for (const pieceBytes of [100_003, 1_500_000])
        expect(sha256(compress(method, pieceBytes).subarray(10)).slice(0, 16)).toBe(hex);
    },
  );
});
