import { expect, test } from 'vitest';
import * as z from 'zod';
import { type IssueNotes, inputError, parseYamlInput, problemText } from './yaml-input.ts';

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

test.each([
  ['of a secret field', z.object({ authMode: z.enum(['basic', 'none']) }), 'authMode: hunter2'],
  [
    'that is a token',
    z.object({ mode: z.enum(['a', 'b']) }),
    `mode: ${'sha256~hunter2'.padEnd(51, 'x')}`,
  ],
  ['that is a pull secret', z.object({ mode: z.enum(['a']) }), `mode: '{"auths":"hunter2"}'`],
  ['of several lines', z.object({ mode: z.enum(['a']) }), 'mode: |\n  KEY\n  hunter2'],
  ['where a number belongs', z.object({ port: z.number() }), `port: hunter2${'x'.repeat(40)}`],
])('parseYamlInput does not repeat a wrong value %s', (_, wanted, text) => {
  const { problems } = parseYamlInput(wanted, text);

  expect(problems).toHaveLength(1);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
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

test.each(['{toString: 1}', '{toString: null, valueOf: null}', '[{toString: null}]'])(
  'parseYamlInput explains %s in a place of text',
  (value) => {
    const { problems } = parseYamlInput(schema, `name: ${value}\n`);

    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^expected text, found a (?:mapping|list)/),
    ]);
  },
);

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

const wide = z.strictObject({
  name: z.string().optional(),
  apiKey: z.string().optional(),
  count: z.int().optional(),
  on: z.boolean().optional(),
  level: z.union([z.literal(1), z.literal(2)]).optional(),
  port: z.literal([80, 443]).optional(),
  tags: z.record(z.string(), z.string()).optional(),
  list: z.array(z.string()).default([]),
  nested: z.strictObject({ inner: z.string(), old: z.never().optional() }).optional(),
  items: z.array(z.strictObject({ id: z.string() })).transform((items) => items.length),
});

/** What is found in `text`, as `line:column path: words (hint)`; the list of items is not to be missed in each. */
const found = (text: string, options = {}) =>
  parseYamlInput(wide, `${text}\nitems: []\n`, options).problems.map(
    (problem) => `${problem.line}:${problem.column} ${problem.path} | ${problemText(problem)}`,
  );

test.each([
  ['name: [a]', '1:7 name | name: expected text, found a list'],
  ['name: {a: b}', '1:7 name | name: expected text, found a mapping'],
  ['name: true', '1:7 name | name: expected text, found true (write "true", in quotes)'],
  ['name: 0x1F', '1:7 name | name: expected text, found the number 0x1F (write "0x1F", in quotes)'],
  ['name:', '1:6 name | name: expected text, found nothing'],
  ['apiKey: 12', '1:9 apiKey | apiKey: expected text, found a number'],
  ['count: 1.5', '1:8 count | count: expected a whole number, found the number 1.5'],
  ['on: "yes"', '1:5 on | on: expected true or false, found the text "yes"'],
  ['port: 81', '1:7 port | the number 81 is none of 80, 443'],
  ['tags: []', '1:7 tags | tags: expected a mapping, found a list'],
  ['list: a', '1:7 list | list: expected a list, found the text "a"'],
  ['nested: 1', '1:9 nested | nested: expected a mapping, found the number 1'],
  [
    'list:\n- a\n- 7',
    '3:3 list.1 | list.1: expected text, found the number 7 (write "7", in quotes)',
  ],
  ['nested: {}', '1:1 nested.inner | "inner" is missing'],
  [
    'nested:\n  inner: a\n  zzzzzz: b',
    '3:3 nested.zzzzzz | unknown field "zzzzzz" (known are inner)',
  ],
  [
    'nested:\n  inner: a\n  iner: b',
    '3:3 nested.iner | unknown field "iner" (did you mean "inner"?)',
  ],
  ['base: &b 1\nname: *b', '1:1 base | unknown field "base" (did you mean "name"?)'],
])('parseYamlInput says of %j what is wrong, and where', (text, problem) => {
  expect(found(text)).toContain(problem);
});

test('parseYamlInput looks for a misspelled field behind lists, defaults and transformations', () => {
  const { problems } = parseYamlInput(wide, 'items:\n- id: a\n  idd: b\n');

  expect(problems).toMatchObject([
    { path: 'items.0.idd', line: 3, column: 3, hint: 'did you mean "id"?' },
  ]);
});

test('parseYamlInput follows an alias to the value it stands for', () => {
  const shared = z.strictObject({ base: z.array(z.string()), again: z.array(z.number()) });

  expect(parseYamlInput(shared, 'base: &b\n- x\nagain: *b\n').problems).toMatchObject([
    { path: 'again.0', line: 2, column: 3, message: 'expected a number, found the text "x"' },
  ]);
});

test('parseYamlInput says that an item of a list is empty where that is as good as none', () => {
  expect(found('list: [a, null]', { nullIsAbsent: true })).toEqual([
    '1:11 list.1 | an item of this list is empty',
  ]);
});

test.each([
  ['', {}],
  ['# nothing\n', {}],
])('parseYamlInput takes the empty document %j for an empty mapping', (text, value) => {
  expect(parseYamlInput(z.strictObject({}), text)).toMatchObject({ value, input: value });
});

test.each([
  ['name: &a [*a]\n', 1, 'an alias stands inside what it stands for'],
  ['name: *nobody\n', 1, expect.stringContaining('nobody')],
  ['name: x\n"y\n', 3, expect.stringMatching(/^missing closing/)],
])('parseYamlInput gives %j as one problem with its line', (text, line, message) => {
  expect(parseYamlInput(wide, text).problems).toContainEqual(
    expect.objectContaining({ path: '', line, message }),
  );
});

test('parseYamlInput reads aliases that are used twice, one beside the other', () => {
  const twice = z.strictObject({ a: z.array(z.string()), b: z.array(z.array(z.string())) });

  expect(parseYamlInput(twice, 'a: &a [x]\nb: [*a, *a]\n').value).toEqual({
    a: ['x'],
    b: [['x'], ['x']],
  });
});

test('parseYamlInput reads the words of a dialect, and refuses what is there twice in each', () => {
  const schema = z.strictObject({ on: z.boolean() });
  const options = { dialect: 'yaml-1.1' } as const;

  expect(parseYamlInput(schema, 'on: yes\n').problems).toHaveLength(1);
  expect(parseYamlInput(schema, '"on": yes\n', options).value).toEqual({ on: true });
  expect(
    parseYamlInput(schema, 'on: true\non: true\n', { dialect: 'lenient' }).problems,
  ).toMatchObject([{ line: 2, message: 'this key is here twice' }]);
});

test('parseYamlInput shows what a check of a schema notes: hint, place, and the first of two', () => {
  const notes: IssueNotes = { hint: 'Take another', at: 'value', sameAs: 0, complete: true };
  const checked = z.strictObject({
    list: z.array(z.string()).superRefine((_list, { addIssue }) => {
      addIssue({ code: 'custom', message: 'twice', path: [1], params: notes });
    }),
    name: z.string().refine(() => false, { message: 'never right' }),
  });

  const { problems } = parseYamlInput(checked, 'list:\n- a\n- a\nname: x\n');

  expect(problems).toMatchObject([
    {
      path: 'list.1',
      line: 3,
      column: 3,
      message: 'twice, first on line 2',
      hint: 'Take another',
      complete: true,
    },
    { path: 'name', line: 4, column: 1, message: 'never right', hint: undefined },
  ]);
});

test('inputError sorts by place, counts, and leaves out a place that is not known', () => {
  const problem = (line: number | undefined, column: number | undefined, message: string) => ({
    path: '',
    line,
    column,
    message,
  });
  const late = problem(2, 1, 'late');
  const early = problem(1, 9, 'early');
  const first = problem(1, 2, 'first');
  const nowhere = problem(undefined, undefined, 'nowhere');

  expect(inputError('f', [late, early, first])).toMatchObject({
    code: 'INPUT_INVALID',
    message: 'Cannot use "f": found 3 mistakes\n  f:1:2: first\n  f:1:9: early\n  f:2:1: late',
    hint: 'Correct them and run the command again',
    details: { file: 'f', problems: 3, line: 1, column: 2 },
  });
  expect(inputError('f', [nowhere])).toMatchObject({
    message: 'Cannot use "f": found one mistake\n  f: nowhere',
    hint: 'Correct it and run the command again',
    details: { file: 'f', problems: 1 },
  });
  expect(inputError('f', [late, nowhere]).message).toContain('\n  f: nowhere\n  f:2:1: late');
});
