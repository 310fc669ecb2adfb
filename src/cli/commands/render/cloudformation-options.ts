import type { OptionSpec } from '../../command.ts';
import { splitPair } from './flag-values.ts';

/** Flags of every stack. */
export const STACK_OPTIONS = {
  name: {
    type: 'string',
    value: 'SITE',
    required: true,
    summary: 'Name of the site; everything in the stack is tagged with it',
  },
  tag: { type: 'strings', value: 'KEY=VALUE', summary: 'One more tag for everything' },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export function tagsFrom(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(values.map((value) => splitPair('tag', value)));
}
