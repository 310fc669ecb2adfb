import { expect, test } from 'vitest';
import { chunksOf, collect, describeBytes } from '../../test/support/bytes.ts';
import { verified, verifyBytes } from './verify.ts';

const text = describeBytes('text');

test.each(['sha256', 'sha512'] as const)(
  'verified passes the right bytes (%s)',
  async (algorithm) => {
    const expected = describeBytes('text', 'text/plain', algorithm);

    expect((await collect(verified(expected, chunksOf('te', '', 'xt')))).toString()).toBe('text');
    verifyBytes(expected, Buffer.from('text'));
  },
);

test.each([
  ['fewer', 'tex', 'only 3 of 4 bytes'],
  ['more', 'text and more', 'more than 4 bytes'],
  ['other', 'tExt', 'different bytes'],
  ['no', '', 'only 0 of 4 bytes'],
])('verified refuses %s bytes', async (_name, content, found) => {
  const reading = collect(verified(text, chunksOf(content)));

  await expect(reading).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  await expect(reading).rejects.toThrow(found);
  expect(() => verifyBytes(text, Buffer.from(content))).toThrowError(
    expect.objectContaining({ code: 'CONTENT_MISMATCH' }),
  );
});

test('verified stops a source that never ends', async () => {
  let given = 0;
  async function* endless() {
    while (true) {
      given += 1;
      yield Buffer.from('xx');
    }
  }

  await expect(collect(verified(text, endless()))).rejects.toThrow('more than 4 bytes');
  expect(given).toBe(3);
});
