import { expect, test } from 'vitest';
import { jsonObjects, parseObject, type RawObject, yamlObjects } from './objects.ts';

type Split = (chunks: AsyncIterable<Uint8Array>, maxBytes?: number) => AsyncGenerator<RawObject>;

async function split(
  of: Split,
  text: string,
  size = 10_000,
  maxBytes?: number,
): Promise<RawObject[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const objects: RawObject[] = [];
  for await (const one of of(chunks(), maxBytes)) objects.push(one);
  return objects;
}

const LIST = `{
  "kind": "List",
  "metadata": {"items": [{"no": 1}]},
  "items": [
    {"a": "\\"]}{["},
    {"b": [{"c": "ü"}], "items": [{"d": 1}]}
  ],
  "other": [{"no": 2}],
  "last": {"items": [{"no": 3}]}
}`;

test.each([1, 7, 10_000])(
  'jsonObjects finds the objects of a list and their lines, in pieces of %i',
  async (size) => {
    expect(await split(jsonObjects, LIST, size)).toEqual([
      { text: '{"a": "\\"]}{["}', line: 5 },
      { text: '{"b": [{"c": "ü"}], "items": [{"d": 1}]}', line: 6 },
    ]);
  },
);

test('jsonObjects knows the events of a stack for a list, and an empty list for one', async () => {
  expect(await split(jsonObjects, '{"StackEvents":[{"a":1}]}')).toEqual([
    { text: '{"a":1}', line: 1 },
  ]);
  expect(await split(jsonObjects, '{"items":[]}')).toEqual([]);
});

test('jsonObjects gives a document that is no list as a whole', async () => {
  for (const text of ['{"kind":"Node"}', '{"things":[{"a":1}]}'])
    expect(await split(jsonObjects, text, 5)).toEqual([{ text, line: 1 }]);
});

test.each([1, 10_000])(
  'jsonObjects finds the objects of a list without a name, in pieces of %i',
  async (size) => {
    expect(
      await split(jsonObjects, '[{"a":[{}]},\n {"items":[{"b":1}]}, [{"c":1}]]', size),
    ).toEqual([
      { text: '{"a":[{}]}', line: 1 },
      { text: '{"items":[{"b":1}]}', line: 2 },
    ]);
  },
);

test('jsonObjects does not take a value for the name of a list', async () => {
  const text = '{"a":"items","b":[{"c":1}]}';

  expect(await split(jsonObjects, text)).toEqual([{ text, line: 1 }]);
});

test.each([3, 1000])(
  'jsonObjects skips an object that is too big and goes on behind it, in pieces of %i',
  async (size) => {
    const of = (text: string) => split(jsonObjects, text, size, 50);
    const big = `{"a":"${'x'.repeat(42)}"}`;

    expect(await of(`{"items":[${big},{"b":1}]}`)).toEqual([{ text: '{"b":1}', line: 1 }]);
    expect(await of(`{"items":[${big.replace('x', '')},{"b":1}]}`)).toHaveLength(2);
    expect(await of(big)).toEqual([]);
    expect(await of(big.replace('x', ''))).toHaveLength(1);
  },
);

test.each([3, 10_000])(
  'yamlObjects finds the items of a list and other documents, in pieces of %i',
  async (size) => {
    const text = [
      ...['---', 'apiVersion: v1', 'items:', '- kind: A', '  x:', '  - 1', '- kind: B'],
      ...['kind: List', '---', 'kind: C', 'y:', '  z: 1', ''],
    ].join('\n');

    expect(await split(yamlObjects, text, size)).toEqual([
      { text: 'apiVersion: v1', line: 1 },
      { text: 'kind: A\nx:\n- 1', line: 4 },
      { text: 'kind: B', line: 7 },
      { text: 'kind: List', line: 8 },
      { text: 'kind: C\ny:\n  z: 1', line: 9 },
    ]);
  },
);

test('yamlObjects reads a single document, and finds nothing in nothing', async () => {
  expect(await split(yamlObjects, 'kind: A\nlist:\n- 1')).toMatchObject([
    { text: 'kind: A\nlist:' },
    { text: '1' },
  ]);
  expect(await split(yamlObjects, '')).toEqual([]);
  expect(await split(yamlObjects, '---\n')).toEqual([]);
});

test('yamlObjects skips an object that is too big', async () => {
  const of = (text: string) => split(yamlObjects, text, 7, 20);

  expect(await of('a: 1\nb: 4567890\n---\nkind: B\n')).toMatchObject([
    { text: 'a: 1\nb: 4567890' },
    { text: 'kind: B' },
  ]);
  expect(await of('a: 1\nb: 45678901234\n---\nkind: B\n')).toMatchObject([{ text: 'kind: B' }]);
});

test.each([
  ['{"a":1}', 'json', { a: 1 }],
  ['a: 1', 'yaml', { a: 1 }],
  ['a: 1', 'json', undefined],
  ['[1]', 'json', undefined],
  ['null', 'json', undefined],
  ['"text"', 'json', undefined],
  ['a: {', 'yaml', undefined],
] as const)('parseObject %j as %s', (text, format, value) => {
  expect(parseObject({ text, line: 1 }, format)).toEqual(value);
});
