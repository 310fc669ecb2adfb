import { expect, test } from 'vitest';
import * as z from 'zod';
import { inputError, parseYamlInput } from './yaml-input.ts';

const schema = z.strictObject({
  name: z.string(),
  mode: z.enum(['disconnected', 'private']).default('disconnected'),
  hosts: z.array(z.strictObject({ address: z.string(), port: z.number().optional() })).optional(),
});

test('parseYamlInput gives the value of a good file', () => {
  expect(parseYamlInput(schema, 'name: a\n').value).toEqual({ name: 'a', mode: 'disconnected' });
});

test('parseYamlInput finds every mistake in one go, with line, column and a suggestion', () => {
  const text = 'mode: privat\nhosts:\n- adress: x\n- address: y\n  port: "1"\n';

  const { problems } = parseYamlInput(schema, text);

  expect(
    problems.map(({ path, line, column, message, hint }) => [path, line, column, message, hint]),
  ).toEqual([
    ['name', 1, 1, '"name" is missing', undefined],
    ['mode', 1, 7, '"privat" is none of disconnected, private', 'did you mean "private"?'],
    ['hosts.0.address', 3, 3, '"address" is missing', undefined],
    ['hosts.0.adress', 3, 3, 'unknown field "adress"', 'did you mean "address"?'],
    ['hosts.1.port', 5, 9, 'expected a number, found the text "1"', undefined],
  ]);
});

test('parseYamlInput refuses broken YAML and repeated keys with their place', () => {
  expect(parseYamlInput(schema, 'name: a\nname: b\n').problems).toMatchObject([
    { line: 2, column: 1 },
  ]);
  expect(parseYamlInput(schema, 'name: [\n').problems[0]?.line).toBe(2);
});

test('inputError lists each mistake as file:line:column', () => {
  const { problems } = parseYamlInput(schema, 'nam: a\n');

  expect(inputError('atoll.yaml', problems).message).toContain(
    'atoll.yaml:1:1: unknown field "nam" (did you mean "name"?)',
  );
});

test('inputError shows the field of a mistake that does not name it', () => {
  const { problems } = parseYamlInput(schema, 'name: 4.10\n');

  expect(inputError('a.yaml', problems)).toMatchObject({
    message: expect.stringContaining(
      'a.yaml:1:7: name: expected text, found the number 4.10 (write "4.10", in quotes)',
    ),
    details: { file: 'a.yaml', problems: 1, line: 1, column: 7 },
  });
});

test('parseYamlInput does not repeat the value of a field that may be secret', () => {
  const { problems } = parseYamlInput(z.object({ password: z.string() }), 'password: 271828\n');

  expect(JSON.stringify(problems)).not.toContain('271828');
});

test('parseYamlInput finds what is there twice beside the other mistakes', () => {
  const { problems } = parseYamlInput(schema, 'name: a\nname: b\nmode: x\n---\nname: c\n');

  expect(problems.map(({ line, message }) => [line, message])).toEqual([
    [2, 'this key is here twice'],
    [5, 'a second document starts here'],
    [3, '"x" is none of disconnected, private'],
  ]);
});

test.each([
  'name: *nobody\n',
  'name: &a [*a]\n',
  `a: &a [x]\n${'b: &b [*a, *a]\n'.repeat(1)}name: *a\n`,
])('parseYamlInput explains aliases it cannot use: %j', (text) => {
  expect(parseYamlInput(schema, text).problems).not.toEqual([]);
});

test('parseYamlInput takes a key without value for absent where that is the custom', () => {
  const options = { nullIsAbsent: true };

  expect(parseYamlInput(schema, 'name: a\nhosts:\n', options).value).toMatchObject({ name: 'a' });
  expect(parseYamlInput(schema, 'name: a\nhost:\n', options).problems).toMatchObject([
    { message: 'unknown field "host"' },
  ]);
});

test('parseYamlInput lets the document choose its schema', () => {
  const v1 = z.strictObject({ version: z.literal(1), a: z.string() });
  const v2 = z.strictObject({ version: z.literal(2), b: z.string() });
  const choose = (document: unknown) =>
    z.object({ version: z.literal(1) }).safeParse(document).success ? v1 : v2;

  expect(parseYamlInput(choose, 'version: 1\na: x\n').value).toEqual({ version: 1, a: 'x' });
  expect(parseYamlInput(choose, 'version: 2\na: x\n').problems).toHaveLength(2);
});
