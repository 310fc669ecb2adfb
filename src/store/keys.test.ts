import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf, collectAll } from '../../test/support/bytes.ts';
import { decodePart, recordPath } from './record-path.ts';
import { decodeKey, encodeKey } from './s3/key.ts';
import { inPieces } from './s3/pieces.ts';

const part = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
  .filter((text) => !text.includes('/'));
const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const bytesOf = (text: string) => Buffer.from(text);

test('recordPath gives every key its own path, which stays below the store', () => {
  fc.assert(
    fc.property(key, (text) => {
      const names = recordPath(text).split('/');
      for (const name of names) {
        expect(name).toMatch(/^[A-Za-z0-9_%+-][A-Za-z0-9._%+-]*$/);
        expect(name.length).toBeLessThanOrEqual(210);
      }
    }),
  );
});

test('recordPath keeps plain keys readable', () => {
  expect(recordPath('repos/ocp/release/_tags/4.18.3-x86_64')).toBe(
    'repos/ocp/release/_tags/4.18.3-x86_64.json',
  );
  expect(recordPath('_manifests/sha256:ab')).toBe('_manifests/sha256%3Aab.json');
});

test('decodePart undoes the encoding of a part', () => {
  fc.assert(
    fc.property(
      part.filter((text) => bytesOf(text).length < 60),
      (text) => {
        expect(decodePart(recordPath(text).slice(0, -'.json'.length))).toBe(text);
      },
    ),
  );
});

test('encodeKey is undone by decodeKey and keeps the order of bytes', () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(decodeKey(encodeKey(a))).toBe(a);
      expect(encodeKey(a)).toMatch(/^[!-~]+$/);
      expect(Math.sign(Buffer.compare(bytesOf(encodeKey(a)), bytesOf(encodeKey(b))))).toBe(
        Math.sign(Buffer.compare(bytesOf(a), bytesOf(b))),
      );
    }),
  );
});

test('encodeKey makes no part that an object store might take for a path', () => {
  expect(encodeKey('../.././x')).toBe('.-./.-./.-/x');
  expect(decodeKey('.-./.-./.-/x')).toBe('../.././x');
});

test('inPieces cuts a stream into pieces of one size', async () => {
  const pieces = await collectAll(inPieces(chunksOf('a', 'bcdefgh', '', 'ij'), 3));

  expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual(['abc', 'def', 'ghi', 'j']);
});

test('inPieces gives what came before an error, then the error', async () => {
  const seen: string[] = [];
  const reading = (async () => {
    for await (const piece of inPieces(chunksOf('abcd', new Error('cable')), 3)) {
      seen.push(Buffer.from(piece).toString());
    }
  })();

  await expect(reading).rejects.toThrow('cable');
  expect(seen).toEqual(['abc', 'd']);
});
