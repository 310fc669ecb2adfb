import { expect, test } from 'vitest';
import type { Command } from '../command.ts';
import { GLOBAL_OPTIONS } from '../global-options.ts';
import { parseArguments } from '../parse.ts';
import { COMMANDS, GROUPS } from './index.ts';
import { loadCommands } from './load.ts';

/** The words of the first call of atoll in an example, without what a shell would do around it. */
function wordsOf(line: string): string[] {
  const call = /\batoll\b((?:[^|<>;&()'"]|'[^']*'|"[^"]*")*)/.exec(line)?.[1] ?? '';
  return (call.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []).map((word) =>
    word.replace(/['"]/g, ''),
  );
}

const examples = COMMANDS.flatMap((command) =>
  Object.keys(command.examples).map((line) => [line, command] as [string, Command]),
);

test.each(examples)('the example "%s" is a command line of its command', (line, command) => {
  const parsed = parseArguments(wordsOf(line), { commands: COMMANDS, groups: GROUPS });

  expect(parsed).toMatchObject({ kind: 'run', command });
});

const help = (...argv: string[]) => {
  const parsed = parseArguments(argv, { commands: COMMANDS, groups: GROUPS });
  return parsed.kind === 'words' ? parsed.text : '';
};

test('help sorts the commands, shows how to start and where to read, and hides what is internal', () => {
  const text = help('--help');

  for (const heading of ['A site, from one file:', 'Images:', 'Configuration:']) {
    expect(text).toContain(`\n${heading}\n`);
  }
  // "Others" is for what has nothing to do with clusters, not for what nobody sorted.
  const others = /\nOthers:\n((?: .*\n)+)/.exec(text)?.[1] ?? '';
  expect([...others.matchAll(/^ {2}(\w+)/gm)].map(([, word]) => word)).toEqual([
    'completion',
    'version',
  ]);
  expect(text).toContain('docs/guide');
  expect(text).not.toContain('lab-node');
  const shown = [...text.matchAll(/^ {2}\$ (atoll .*)$/gm)].map(([, line = '']) => line);
  expect(shown.length).toBeGreaterThan(2);
  for (const line of shown) {
    expect(parseArguments(wordsOf(line), { commands: COMMANDS, groups: GROUPS }).kind).toBe('run');
  }
});

test.each(['--version', '-v', '-V'])('%s is the version command', (flag) => {
  const parsed = parseArguments([flag], { commands: COMMANDS, groups: GROUPS });

  expect(parsed).toMatchObject({ kind: 'run', command: { name: 'version' } });
});

test('COMMANDS have distinct names, a summary and at least one example', () => {
  const names = COMMANDS.map(({ name }) => name);

  expect(names).toEqual([...new Set(names)]);
  expect(
    COMMANDS.filter((each) => each.summary === '' || Object.keys(each.examples).length === 0),
  ).toEqual([]);
});

test('COMMANDS do not define an option that every command has', () => {
  const taken = COMMANDS.flatMap(({ name, options }) =>
    Object.keys(options)
      .filter((key) => Object.hasOwn(GLOBAL_OPTIONS, key) || key === 'help')
      .map((key) => `${name}: ${key}`),
  );

  expect(taken).toEqual([]);
});

test('COMMANDS are in groups that are explained', () => {
  const groups = new Set(COMMANDS.map(({ name }) => name.split(' ').slice(0, -1).join(' ')));
  groups.delete('');

  expect([...groups].filter((group) => !GROUPS[group])).toEqual([]);
});

test.each([...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))])(
  'loadCommands finds every command that starts with "%s", in the same order',
  async (word) => {
    const { commands } = await loadCommands([word, '--help']);

    const wanted = COMMANDS.filter(({ name }) => name.split(' ')[0] === word);
    expect(commands.filter(({ name }) => name.split(' ')[0] === word)).toEqual(wanted);
  },
);

test('loadCommands gives a command that is named in full, alone where it can be had so', async () => {
  const named = COMMANDS.filter(({ name }) => name.startsWith('mirror '));
  for (const command of named) {
    expect((await loadCommands([...command.name.split(' '), '--help'])).commands).toContain(
      command,
    );
  }
  expect((await loadCommands(['mirror', 'sync'])).commands).toHaveLength(1);
});

test('loadCommands gives all of them to a command line it does not know', async () => {
  expect((await loadCommands(['mirorr'])).commands).toBe(COMMANDS);
  expect((await loadCommands([])).commands).toBe(COMMANDS);
});
