import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Digest, digestOf, isDigest, parseDigest, splitDigest } from './digest.ts';

test('parseDigest accepts sha256 and sha512 and returns them unchanged', () => {
  for (const algorithm of ['sha256', 'sha512'] as const) {
    const text: string = digestOf('text', algorithm);

    expect(parseDigest(text)).toBe(text);
    expect(splitDigest(parseDigest(text)).algorithm).toBe(algorithm);
  }
});

test.each([
  '',
  'sha256',
  'sha256:',
  `sha256:${'0'.repeat(63)}`,
  `sha256:${'0'.repeat(65)}`,
  `sha256:${'0'.repeat(128)}`,
  `sha512:${'0'.repeat(64)}`,
  `sha256:${'A'.repeat(64)}`,
  `sha256:${'g'.repeat(64)}`,
  `md5:${'0'.repeat(32)}`,
  `SHA256:${'0'.repeat(64)}`,
  ` sha256:${'0'.repeat(64)}`,
  `sha256:${'0'.repeat(64)}\n`,
  `sha256:../../${'0'.repeat(58)}`,
])('parseDigest rejects %j', (text) => {
  expect(isDigest(text)).toBe(false);
  expect(() => parseDigest(text)).toThrowError(
    expect.objectContaining({ code: 'DIGEST_INVALID', hint: expect.stringContaining('sha256:') }),
  );
});

test('digestOf agrees with known digests', () => {
  expect(digestOf('{}')).toBe(
    'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
  );
  expect(digestOf('', 'sha512')).toMatch(/^sha512:cf83e1357eefb8bd[0-9a-f]{112}$/);
});

test('splitDigest undoes joining for all bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const { algorithm, hex } = splitDigest(digestOf(bytes));
      expect(parseDigest(`${algorithm}:${hex}`)).toBe(digestOf(bytes));
    }),
  );
});

test('a plain string does not compile where a Digest is wanted', () => {
  const take = (digest: Digest) => digest;
  // @ts-expect-error Only parseDigest and digestOf make a Digest.
  take(`sha256:${'0'.repeat(64)}`);
  take(digestOf('text'));
});
