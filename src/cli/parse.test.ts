import { expect, test } from 'vitest';
import { AtollError } from '../core/errors.ts';
import { defineCommand } from './command.ts';
import { type Parsed, parseArguments } from './parse.ts';

const copy = defineCommand({
  name: 'mirror copy',
  summary: 'Copy one image',
  arguments: [
    { name: 'source', summary: 'From' },
    { name: 'targets', summary: 'To', variadic: true },
  ],
  options: {
    authfile: { type: 'string', value: 'FILE', summary: 'Credentials', short: 'a' },
    retries: { type: 'number', summary: 'Attempts', default: 5 },
    platform: { type: 'strings', summary: 'Platforms' },
    registriesConf: { type: 'string', summary: 'Mirrors' },
    noProxy: { type: 'string', summary: 'Hosts without a proxy' },
    insecure: { type: 'boolean', summary: 'Plain HTTP' },
    verify: { type: 'boolean', default: true, summary: 'Do not verify' },
    format: { type: 'string', summary: 'Format', choices: ['oci', 'docker'] },
    from: { type: 'string', summary: 'Where from', required: true },
  },
  examples: {
    'atoll mirror copy a b': 'copies',
  },
  run: async () => ({}),
});
const status = defineCommand({
  name: 'status',
  summary: 'Look',
  arguments: [{ name: 'site', summary: 'Site', optional: true }],
  examples: {},
  run: async () => ({}),
});
const set = { commands: [copy, status], groups: { mirror: 'Move images' } };

function run(...argv: string[]): Extract<Parsed, { kind: 'run' }> {
  const parsed = parseArguments(argv, set);
  if (parsed.kind !== 'run') throw new Error(parsed.text);
  return parsed;
}

function usage(...argv: string[]): { message: string; hint: string | undefined } {
  try {
    parseArguments(argv, set);
  } catch (error) {
    if (error instanceof AtollError && error.code === 'USAGE') return error;
    throw error;
  }
  throw new Error('It parsed');
}

test('parseArguments finds a command in its group, with arguments and options of every type', () => {
  const line = 'mirror copy src one two -a auth.json --retries 3 --platform a --platform b';
  const parsed = run(...line.split(' '), '--registries-conf=r.conf', '--from', 'x', '--insecure');

  expect(parsed.command).toBe(copy);
  expect(parsed.args).toEqual({ source: 'src', targets: 'one', rest: ['one', 'two'] });
  expect(parsed.options).toEqual({
    authfile: 'auth.json',
    retries: 3,
    platform: ['a', 'b'],
    registriesConf: 'r.conf',
    insecure: true,
    verify: true,
    from: 'x',
  });
});

test('parseArguments gives defaults, and turns off what --no- turns off', () => {
  const { options } = run('mirror', 'copy', 'a', 'b', '--from', 'x', '--no-verify');

  expect(options).toEqual({ retries: 5, platform: [], insecure: false, verify: false, from: 'x' });
});

test('parseArguments takes a value for an option whose name begins with "no"', () => {
  const { options } = run(
    'mirror',
    'copy',
    'a',
    'b',
    '--from',
    'x',
    '--no-proxy',
    '.cluster.local',
  );

  expect(options).toMatchObject({ noProxy: '.cluster.local' });
});

test('parseArguments takes global options before and after the command', () => {
  expect(run('--output', 'json', 'status').globals).toMatchObject({ output: 'json', yes: false });
  expect(run('status', '--output=json', '--yes').globals).toMatchObject({
    output: 'json',
    yes: true,
  });
  expect(run('status').globals).toEqual({
    output: 'text',
    quiet: false,
    verbose: false,
    yes: false,
  });
});

test('parseArguments leaves an optional argument out', () => {
  expect(run('status').args).toEqual({ rest: [] });
});

test('parseArguments suggests the nearest command, option and group', () => {
  expect(usage('staus').hint).toContain('Did you mean "atoll status"?');
  expect(usage('mirror', 'cpoy').hint).toContain('Did you mean "atoll mirror copy"?');
  expect(usage('copy').hint).toContain('Did you mean "atoll mirror copy"?');
  expect(usage('mirror', 'copy', 'a', 'b', '--authfil', 'x').hint).toContain('"--authfile"');
  expect(usage('status', '--ouput=json').hint).toContain('"--output"');
  expect(usage('status', '--xyzzy').hint).toBe('Run "atoll status --help"');
});

test('parseArguments says what is wrong with a value', () => {
  const line = ['mirror', 'copy', 'a', 'b', '--from', 'x'];

  expect(usage(...line, '--retries', 'many').message).toContain("'many' is invalid");
  expect(usage(...line, '--format', 'tar').message).toContain('oci, docker');
  expect(usage('mirror', 'copy', 'a', 'b').message).toContain('--from <VALUE> is missing');
  expect(usage('mirror', 'copy', '--from', 'x').message).toContain(
    "Missing required argument 'source'",
  );
  expect(usage('status', 'a', 'b').message).toContain('Too many arguments');
  expect(usage('status', '--quiet', '--verbose').message).toContain('exclude each other');
});

test('parseArguments loses no value: what can be one thing only is not taken twice', () => {
  const words = ['mirror', 'copy', 'a', 'b', '--from', 'x'];

  expect(usage(...words, '--from', 'y').message).toContain('It was "x" before');
  expect(usage(...words, '--retries=5', '--retries', '6').message).toContain('It was "5" before');
  expect(usage(...words, '--format', 'oci', '--format', 'docker').message).toContain('"oci"');
  expect(run(...words, '--from', 'x', '--insecure', '--insecure').options.from).toBe('x');
  expect(run(...words, '--output', 'text', '--output', 'json').globals.output).toBe('json');
});

test('parseArguments answers --help with words, and a missing command with the same unasked', () => {
  const help = parseArguments(['mirror', 'copy', '--help'], set);
  const missing = parseArguments(['mirror'], set);

  expect(help).toMatchObject({ kind: 'words', asked: true });
  expect(help.kind === 'words' && help.text).toContain('$ atoll mirror copy a b');
  expect(help.kind === 'words' && help.text).toContain('--registries-conf <VALUE>');
  expect(missing).toMatchObject({ kind: 'words', asked: false });
  expect(missing.kind === 'words' && missing.text).toContain('Copy one image');
});

test('parseArguments keeps help within the columns of the terminal', () => {
  const widest = (columns?: number) => {
    const parsed = parseArguments(['--help'], set, columns);
    const lines = parsed.kind === 'words' ? parsed.text.split('\n') : [];
    return Math.max(...lines.map((line) => line.length));
  };

  expect(widest(70)).toBeLessThanOrEqual(70);
  expect(widest(70)).toBeLessThan(widest(200));
  expect(widest(200)).toBe(widest());
  // A terminal that does not know its size.
  expect(widest(0)).toBe(widest());
});

test('parseArguments says which options the command line names, be it with their defaults', () => {
  const words = [
    '--from',
    'x',
    '--retries',
    '5',
    '--no-verify',
    '--no-proxy',
    'a',
    '--platform',
    'b',
  ];

  const { given } = run('mirror', 'copy', 'a', 'b', ...words);

  expect([...given].toSorted()).toEqual(['from', 'noProxy', 'platform', 'retries', 'verify']);
});
