import { expect, test } from 'vitest';
import * as z from 'zod';
import { parseYaml, readYaml } from './yaml.ts';
import { inputError, parseYamlInput } from './yaml-input.ts';

const SCHEMA = z.strictObject({ name: z.string().optional(), list: z.unknown().optional() });
const problemsOf = (text: string) => parseYamlInput(SCHEMA, text).problems;

const DEEP = {
  brackets: `list: ${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  mappings: `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  dashes: `list:\n  ${'- '.repeat(50_000)}x`,
  questions: `${'? '.repeat(50_000)}x`,
};

test.each(Object.entries(DEEP))('YAML that is nested without end is refused: %s', (_, text) => {
  expect(problemsOf(text)).toMatchObject([
    { message: expect.stringContaining('nested more than') },
  ]);
  expect(() => readYaml(text, '"file"')).toThrow('Cannot read "file"');
  expect(() => parseYaml(text, 'strict')).toThrow('nested more than');
});

test('YAML whose aliases unfold to far more than is written is refused, not called a bug', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 12; level += 1) {
    const before = Array.from({ length: 9 }, () => `*a${level - 1}`);
    lines.push(`a${level}: &a${level} [${before.join(', ')}]`);
  }
  const bomb = lines.join('\n');

  expect(problemsOf(bomb)).toMatchObject([{ message: expect.stringContaining('alias') }]);
  expect(() => readYaml(bomb, '"file"')).toThrow(
    expect.objectContaining({ code: 'INPUT_INVALID' }),
  );
});

const keys = (count: number) =>
  Array.from({ length: count }, (_, index) => `key${index}: 1`).join('\n');

test('YAML of people with 200,000 keys is refused before it is parsed', () => {
  expect(problemsOf(keys(200_000))).toMatchObject([
    { message: expect.stringContaining('characters, more than') },
  ]);
});

test('YAML with very many mistakes shows the first hundred, and says how many there are', () => {
  const problems = problemsOf(keys(5000));
  const twice = [...problems, ...problems];

  expect(problems).toHaveLength(100);
  expect(inputError('site.yaml', twice).message).toContain('found 200 mistakes');
  expect(inputError('site.yaml', twice).message).toMatch(/\n {2}and 100 more$/);
});

test('YAML keys that are there twice are found in every mapping, also far apart', () => {
  const many = Array.from({ length: 1000 }, (_, index) => `  key${index}: 1`).join('\n');
  const text = `list:\n${many}\n  key7: 2\nname: a\nname: b\n`;

  expect(problemsOf(text)).toMatchObject([
    { line: 1002, message: 'this key is here twice' },
    { line: 1004, message: 'this key is here twice' },
  ]);
  expect(() => readYaml(text, '"file"')).toThrow('line 1002, column 3 duplicate key');
});

test('YAML text with many brackets in it is no deep nesting', () => {
  const text = Array.from({ length: 2000 }, (_, index) => `key${index}: "[[["`).join('\n');

  expect(Object.keys(parseYaml(text, 'strict') as object)).toHaveLength(2000);
});
