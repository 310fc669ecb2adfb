import { expect, test } from 'vitest';
import { parseYaml, readYaml, toYaml, toYamlLines, yamlDocuments } from './yaml.ts';

const TWICE = { x: 1 };
const MERGED = 'base: &b {x: 1}\nit: {<<: *b, z: 2}\n';

test.each([
  ['strict', 'a: yes\nb: 010\nc: 2026-01-02\n', { a: 'yes', b: 10, c: '2026-01-02' }],
  ['lenient', 'a: yes\nb: 010\nc: 2026-01-02\n', { a: 'yes', b: 10, c: '2026-01-02' }],
  ['yaml-1.1', 'a: yes\nb: 010\nc: 2026-01-02\n', { a: true, b: 8, c: '2026-01-02' }],
  ['lenient', 'a: 1\na: 2\n', { a: 2 }],
  ['lenient', MERGED, { base: { x: 1 }, it: { x: 1, z: 2 } }],
  ['yaml-1.1', MERGED, { base: { x: 1 }, it: { x: 1, z: 2 } }],
  ['strict', MERGED, { base: { x: 1 }, it: { '<<': { x: 1 }, z: 2 } }],
  ['strict', '# nothing\n', undefined],
] as const)('parseYaml in dialect %s reads %j', (dialect, text, value) => {
  expect(parseYaml(text, dialect)).toEqual(value);
});

test.each([
  ['a key that is there twice', 'a: 1\na: 2\n'],
  ['a second document', 'a: 1\n---\nb: 1\n'],
  ['what is no YAML', 'a: [1\n'],
])('parseYaml refuses %s', (_what, text) => {
  expect(() => parseYaml(text, 'strict')).toThrow();
});

test('yamlDocuments tells of each document what is wrong with it, and gives its text back', () => {
  const [first, second] = yamlDocuments('# why\na: 1\n---\nb: [1\n', 'strict');

  expect([first?.error, first?.value(), first?.text()]).toEqual([
    undefined,
    { a: 1 },
    '# why\na: 1\n',
  ]);
  expect(second?.error?.code).toBeDefined();
});

test('toYamlLines keeps a text on one line', () => {
  expect(toYamlLines({ a: 'one\ntwo' })).toBe('a: "one\\ntwo"\n');
});

test('readYaml gives every document that is not empty', () => {
  expect(readYaml('a: 1\n---\n# none\n---\n[]\n---\n0\n', 'the file')).toEqual([{ a: 1 }, [], 0]);
});

test('readYaml names the place of what is wrong', () => {
  expect(() => readYaml('a: 1\n---\nb: 1\nb: 2\n', 'the file')).toThrow(
    expect.objectContaining({
      code: 'INPUT_INVALID',
      message: 'Cannot read the file: line 4, column 1 duplicate key',
    }),
  );
});

test.each([
  ['text with lines as a block', { a: 'one\ntwo\n' }, 'a: |\n  one\n  two\n'],
  ['words of YAML 1.1 in quotes', { a: 'yes', b: '010' }, 'a: "yes"\nb: "010"\n'],
  ['a long line whole', { a: 'word '.repeat(40).trim() }, `a: ${'word '.repeat(40).trim()}\n`],
  ['what is there twice twice, without an alias', [TWICE, TWICE], '- x: 1\n- x: 1\n'],
  ['a text that starts with a tab in quotes', { a: '\n\tx\ny' }, 'a: "\\n\\tx\\ny"\n'],
  ['a tab in the middle as it is', { a: 'x\n\ty\n' }, 'a: |\n  x\n  \ty\n'],
  [
    'signs nobody sees by their number',
    { a: 'x\ufeff\u2028\u0085' },
    'a: "x\\uFEFF\\u2028\\u0085"\n',
  ],
])('toYaml writes %s', (_what, value, text) => {
  expect(toYaml(value).toLowerCase()).toBe(text.toLowerCase());
});

test('toYaml parts documents, and what it writes is read back as it was', () => {
  const values = [
    { a: 'one\ntwo', n: 1 },
    { b: 'x\ufeff', t: '\tz' },
  ];

  expect(toYaml(...values)).toContain('\n---\n');
  expect(readYaml(toYaml(...values), 'it')).toEqual(values);
});
