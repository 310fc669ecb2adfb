/** One `Key=value` line; a list gives one line for each value, undefined none. */
export type UnitLine = readonly [
  key: string,
  value: string | number | readonly string[] | undefined,
];

export interface UnitSections {
  readonly Unit: readonly UnitLine[];
  readonly Service?: readonly UnitLine[];
  readonly Mount?: readonly UnitLine[];
  readonly Path?: readonly UnitLine[];
  readonly Timer?: readonly UnitLine[];
  readonly Install?: readonly UnitLine[];
}

/** A systemd unit file. Order is kept: for some keys, the later line wins. */
export function unitFile(sections: UnitSections): string {
  return Object.entries(sections)
    .map(([name, lines]) => `[${name}]\n${(lines as readonly UnitLine[]).map(format).join('')}`)
    .join('\n');
}

function format([key, value]: UnitLine): string {
  if (value === undefined) return '';
  const values = Array.isArray(value) ? value : [value];
  return values.map((one) => `${key}=${one}\n`).join('');
}

/** Joins a command for `ExecStart=`: systemd's own quoting, with `%` and `$` taken literally. */
export function execLine(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}

function quoteWord(word: string): string {
  const literal = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  if (/^[A-Za-z0-9_@%+=:,./$-]+$/.test(literal)) return literal;
  return `"${literal.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** The name systemd wants for the unit that mounts this path: `/var/lib/x` is `var-lib-x.mount`. */
export function mountUnitName(path: string): string {
  const escapePart = (text: string) =>
    text.replaceAll(/[^a-zA-Z0-9:_.]/g, (char) =>
      [...Buffer.from(char)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    );
  const parts = path.split('/').filter((part) => part !== '');
  return `${parts.map(escapePart).join('-')}.mount`;
}
