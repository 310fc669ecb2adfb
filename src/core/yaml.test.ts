import { expect, test } from 'vitest';
import { parseYaml, toYamlLines, yamlDocuments } from './yaml.ts';

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
