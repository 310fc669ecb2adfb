import { expect, test } from 'vitest';
import {
  check,
  flag,
  listOf,
  nullish,
  objectOf,
  optional,
  tableOf,
  text,
  wholeNumber,
} from './shape.ts';

const layer = objectOf({
  digest: check((value) => value === 'good', 'a digest'),
  size: wholeNumber,
});
const image = objectOf({
  name: text,
  hidden: optional(flag),
  labels: nullish(tableOf(text)),
  layers: listOf(layer),
});
const good = { name: 'a', layers: [{ digest: 'good', size: 1 }], unknown: {} };

test.each([
  [{ ...good }, undefined],
  [{ ...good, hidden: false, labels: { a: 'b' } }, undefined],
  [{ ...good, labels: null }, undefined],
  [undefined, 'the document: not an object'],
  [[], 'the document: not an object'],
  [null, 'the document: not an object'],
  [{ ...good, name: undefined }, 'name: missing'],
  [{ ...good, name: 7 }, 'name: not a text'],
  [{ ...good, hidden: 'yes' }, 'hidden: not true or false'],
  [{ ...good, hidden: null }, 'hidden: not true or false'],
  [{ ...good, labels: { a: 1 } }, 'labels.a: not a text'],
  [{ ...good, labels: 'a' }, 'labels: not an object'],
  [{ ...good, layers: {} }, 'layers: not a list'],
  [{ ...good, layers: [null] }, 'layers.0: not an object'],
  [
    { ...good, layers: [good.layers[0], { digest: 'bad', size: 1 }] },
    'layers.1.digest: not a digest',
  ],
  [{ ...good, layers: [{ digest: 'good', size: -1 }] }, 'layers.0.size: not a whole number'],
  [{ ...good, layers: [{ digest: 'good', size: 1.5 }] }, 'layers.0.size: not a whole number'],
  [{ ...good, layers: [{ digest: 'good', size: 2 ** 60 }] }, 'layers.0.size: not a whole number'],
])('a shape finds the first mistake in %j', (value, problem) => {
  expect(image(value)).toBe(problem);
});
