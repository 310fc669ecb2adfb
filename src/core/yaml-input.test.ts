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
    ['name', 1, 1, 'is missing (string)', undefined],
    ['mode', 1, 1, 'must be one of "disconnected", "private"', undefined],
    ['hosts.0.address', 3, 3, 'is missing (string)', undefined],
    ['hosts.0.adress', 3, 3, 'unknown field', 'did you mean "address"?'],
    ['hosts.1.port', 5, 3, 'expected number, received string', undefined],
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
    'atoll.yaml:1:1: nam: unknown field (did you mean "name"?)',
  );
});
