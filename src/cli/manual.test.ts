import { expect, test } from 'vitest';
import { ERROR_CODES } from '../core/error-codes.ts';
import { defineCommand } from './command.ts';
import { commandsManual, errorsManual } from './manual.ts';

test('errorsManual has a row for every code', () => {
  const manual = errorsManual();

  for (const [code, { exit }] of Object.entries(ERROR_CODES)) {
    expect(manual).toMatch(
      new RegExp(`^\\| \`${code}\` \\| .+ \\| ${exit} \\| (yes|no) \\|$`, 'm'),
    );
  }
});

test('commandsManual shows arguments, options with their remarks, and examples', () => {
  const command = defineCommand({
    name: 'mirror copy',
    summary: 'Copy one image',
    description: 'All of it.',
    arguments: [{ name: 'source', summary: 'From a|b' }],
    options: {
      retries: { type: 'number', summary: 'Attempts', default: 5, value: 'N' },
      platform: { type: 'strings', summary: 'Platforms', choices: ['a', 'b'], required: true },
    },
    examples: {
      'atoll mirror copy a': 'copies a',
    },
    run: async () => ({}),
  });

  const manual = commandsManual([command], { mirror: 'Move images' });

  expect(manual).toContain('[`atoll mirror copy`](#atoll-mirror-copy)');
  expect(manual).toContain('*Move images.*');
  expect(manual).toContain('atoll mirror copy [options] <source>');
  expect(manual).toContain('| `source` | From a\\|b |');
  expect(manual).toContain('| `--retries <N>` | Attempts (default 5) |');
  expect(manual).toContain('(required; may be given again; one of a, b)');
  expect(manual).toContain('# copies a\natoll mirror copy a');
});

test('commandsManual does not depend on the order of the commands', () => {
  const named = (name: string) =>
    defineCommand({ name, summary: name, examples: {}, run: async () => ({}) });

  const [a, b] = [named('up'), named('mirror copy')];

  expect(commandsManual([a, b], {})).toBe(commandsManual([b, a], {}));
});
