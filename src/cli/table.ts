import type { Style } from './command.ts';
import { displayWidth } from './reporters/width.ts';

/** One line for each row, its columns as wide as their widest cell; those in `right` end, not begin, together. */
export function columns(
  rows: readonly (readonly string[])[],
  { right = [] }: { readonly right?: readonly number[] } = {},
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
    });
  }
  const filled = (cell: string, at: number) => {
    const space = ' '.repeat((widths[at] ?? 0) - displayWidth(cell));
    return right.includes(at) ? `${space}${cell}` : `${cell}${space}`;
  };
  return rows.map((row) => row.map(filled).join('  ').trimEnd());
}

/** Rows under a heading. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): string {
  return columns([heading.map((title) => style.dim(title)), ...rows]).join('\n');
}
