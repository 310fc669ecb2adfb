import type { Style } from '../../command.ts';

/** Rows under a heading, columns as wide as they need to be; the last one is not padded. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
): string {
  const widths = heading.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), title.length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [style.dim(line(heading)), ...rows.map(line)].join('\n');
}
