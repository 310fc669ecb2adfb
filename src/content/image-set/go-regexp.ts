const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  space: '\\s',
  punct: '!-/:-@\\[-`{-~',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

/** Text that stands for itself, to the mark or to the end. */
const QUOTED = /\\Q(.*?)(?:\\E|$)/gs;
/** Ours would take `\pL` for the letters "pL", and block nothing without a word. */
const UNKNOWN = /(?<!\\)(?:\\\\)*\\[pPC]/;

/**
 * A pattern as Go writes it, which is how these files have always been written, as one of ours.
 * Throws `SyntaxError` when it is none.
 */
export function goRegExp(pattern: string): RegExp {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const rest = pattern.slice(flags?.[0].length ?? 0).replaceAll(QUOTED, (_, text: string) => {
    return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  if (UNKNOWN.test(rest)) throw new SyntaxError(`a class of "${pattern}" is not known here`);
  const body = rest
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => POSIX[name] ?? whole)
    .replaceAll(/\\([Az])/g, (_, anchor: string) => (anchor === 'A' ? '^' : '$'));
  return new RegExp(body, flags?.[1] ?? '');
}
