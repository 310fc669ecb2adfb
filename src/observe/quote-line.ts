import { redact } from '../core/redact.ts';
import { withoutSecrets } from './secrets.ts';

/** Whole sequences for terminals: colours, cursor, titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they start with.
const TERMINAL = /\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)/g;
/** Other characters that are not seen but do something, some of which turn text around. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of others as it may be shown on a terminal: on one line, and only what can be seen. */
export function printable(text: string): string {
  return text
    .replace(TERMINAL, '')
    .replace(/[\t\r\n]+/g, ' ')
    .replace(UNSEEN, '?');
}

/** A line of a log as it may be shown: no secret that can be told for one, nothing that acts on a terminal. */
export function quoteLine(text: string): string {
  return printable(withoutSecrets(redact(text))).trim();
}

/** A value is told for a secret by the words before it, which a group leaves out: what the whole line hides stays hidden. */
export function unlessSecret(word: string | undefined, line: string): string | undefined {
  if (word === undefined || !line.includes(word)) return word;
  const shown = quoteLine(word);
  return quoteLine(line).includes(shown) ? (shown === word.trim() ? word : shown) : undefined;
}

/** Nothing a shell would take for more than a word, and no option. */
const ONE_WORD = /^[\w./:@%+,=~[\]][\w./:@%+,=~[\]-]*$/;

/** A word out of a log for a command somebody will run; what could do more is for the reader to fill in. */
export function shellWord(name: string, value: string): string {
  return ONE_WORD.test(value) && quoteLine(value) === value ? value : `<${name}>`;
}
