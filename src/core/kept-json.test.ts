import { expect, test } from 'vitest';
import * as z from 'zod';
import { parseKept } from './kept-json.ts';

const FILE = { path: 'state/a.json', schema: z.object({ id: z.string() }), remake: 'atoll up' };

test('parseKept gives what the schema takes', () => {
  expect(parseKept('{"id":"a"}', FILE)).toEqual({ id: 'a' });
});

test.each(['', '{"id":"a', '{"id":1}', 'null'])('parseKept names the file of %j', (text) => {
  expect(() => parseKept(text, FILE)).toThrow(
    expect.objectContaining({
      code: 'INPUT_INVALID',
      message: 'Cannot read "state/a.json": it is not what atoll wrote there',
      hint: 'Remove it, then make it anew: atoll up',
    }),
  );
});
