import type { Style } from './command.ts';

/** Colours for a stream that shows them, and plain text for one that does not. */
export function createStyle(colours: boolean): Style {
  const paint = (on: number, off: number) => (text: string) =>
    colours ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
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
