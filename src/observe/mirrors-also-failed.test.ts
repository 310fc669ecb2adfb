import { expect, test } from 'vitest';
import { mirrorErrors, withoutSourceError } from './mirrors-also-failed.ts';

const HEAD = 'initializing source docker://quay.io/a@sha256:ab: ';
const TAIL = ': quay.io/a@sha256:ab: Get "https://quay.io/v2/": dial tcp: i/o timeout';

test('withoutSourceError takes off what the source said and leaves other lines alone', () => {
  const mirrors = '(Mirrors also failed: [m.lab:5000/a@sha256:ab: manifest unknown])';

  expect(withoutSourceError(HEAD + mirrors + TAIL)).toBe(HEAD + mirrors);
  expect(withoutSourceError('no such thing')).toBe('no such thing');
});

test('withoutSourceError keeps brackets inside an error together', () => {
  const mirrors = '(Mirrors also failed: [m/a: Get [::1]:5000 (x): refused])';

  expect(withoutSourceError(HEAD + mirrors + TAIL)).toBe(HEAD + mirrors);
});

test('withoutSourceError takes a line that was cut off for the mirror part', () => {
  const cut = `${HEAD}(Mirrors also failed: [m/a: x509: certificate`;

  expect(withoutSourceError(cut)).toBe(cut);
});

test('withoutSourceError knows the last line of a list that was broken into lines', () => {
  expect(withoutSourceError(`[m2/a: 401 Unauthorized])${TAIL}`)).toBe('[m2/a: 401 Unauthorized])');
});

test('mirrorErrors splits several mirrors, however they are joined', () => {
  for (const join of [' ', '\n', '\\n']) {
    const text = `${HEAD}(Mirrors also failed: [m1:5000/a: manifest unknown]${join}[m2/a: 401 Unauthorized])${TAIL}`;
    expect(mirrorErrors(text)).toEqual([
      { mirror: 'm1:5000/a', error: 'manifest unknown' },
      { mirror: 'm2/a', error: '401 Unauthorized' },
    ]);
  }
});
