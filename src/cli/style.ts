import { styleText } from 'node:util';
import type { Style } from './command.ts';

type Format = Parameters<typeof styleText>[0];

/** Colours for a stream that shows them, and plain text for one that does not. */
export function createStyle(colours: boolean): Style {
  const paint = (format: Format) => (text: string) => (colours ? styleText(format, text) : text);
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  };
}

/** Whether a stream shows colours: a terminal that is not dumb, unless `NO_COLOR` is set. */
export function wantsColours(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env.NO_COLOR) return false;
  return stream.isTTY === true && env.TERM !== 'dumb';
}
