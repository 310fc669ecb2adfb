import type { OptionSpec, OptionValues } from './command.ts';

/** Flags that every command takes, before or after its name. No command may define one of its own. */
export const GLOBAL_OPTIONS = {
  output: {
    type: 'string',
    value: 'FORMAT',
    choices: ['text', 'json'],
    default: 'text',
    summary: 'Result for people, or one JSON object with the events as NDJSON on stderr',
  },
  quiet: { type: 'boolean', summary: 'Tell only warnings and failures' },
  verbose: { type: 'boolean', summary: 'Tell every detail' },
  yes: { type: 'boolean', summary: 'Answer every question with yes' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type GlobalOptions = OptionValues<typeof GLOBAL_OPTIONS>;
