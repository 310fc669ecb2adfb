import { COMMANDS, GROUPS } from '../commands/index.ts';
import { parseArguments } from '../parse.ts';
import { HELP_WIDTHS, helpKey } from './files.ts';

/** Every help text as the command line would print it, by `helpKey`. */
export function helpTexts(): Record<string, string> {
  const names = COMMANDS.filter(({ internal }) => !internal).map(({ name }) => name);
  const asked = ['', ...Object.keys(GROUPS), ...names].map((name) =>
    name.split(' ').filter(Boolean),
  );
  return Object.fromEntries(
    HELP_WIDTHS.flatMap((width) =>
      asked.map((words) => [helpKey(words, width), help([...words, '--help'], width)]),
    ),
  );
}

function help(argv: readonly string[], width: number): string {
  const parsed = parseArguments(argv, { commands: COMMANDS, groups: GROUPS }, width);
  if (parsed.kind !== 'words') throw new Error(`"${argv.join(' ')}" shows no help`);
  return `${parsed.text}\n`;
}
