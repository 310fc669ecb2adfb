import { expect, test } from 'vitest';
import { decodeLine, encodeLine } from './checked-line.ts';

test('decodeLine is the inverse of encodeLine and refuses garbage', () => {
  const record = { seq: 1, text: 'with "sum":"00" inside\u2028\u2029\n', nested: { a: [1] } };

  expect(decodeLine(encodeLine(record).trimEnd())).toEqual(record);
  expect(decodeLine('{"seq":1')).toBeUndefined();
  expect(decodeLine('{"seq":1,"sum":"000000000000"}')).toBeUndefined();
});

test('decodeLine believes no line of which one bit was turned over', () => {
  const line = Buffer.from(encodeLine({ step: 'a', at: 12, output: { ok: false } }).trimEnd());

  for (let bit = 0; bit < line.length * 8; bit += 1) {
    const altered = Buffer.from(line);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(decodeLine(altered.toString()), altered.toString()).toBeUndefined();
  }
});
