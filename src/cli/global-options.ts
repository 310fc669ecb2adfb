import type { OptionSpec, OptionValues } from './command.ts';
import { onOff, text } from './flags.ts';

/** Flags that every command takes, before or after its name. No command may define one of its own. */
export const GLOBAL_OPTIONS = {
  output: text(
    'FORMAT',
    'Result for people, or one JSON object with the events as NDJSON on stderr',
    { choices: ['text', 'json'], default: 'text' },
  ),
  quiet: onOff('Tell only warnings and failures'),
  verbose: onOff('Tell every detail'),
  yes: onOff('Answer every question with yes'),
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type GlobalOptions = OptionValues<typeof GLOBAL_OPTIONS>;
