// Medians, ratios, the goals, and the table.
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const rounded = (value) => Math.round(value * 1000) / 1000;

/** The median of the ratios of runs that stood beside each other, so that a noisy minute cancels out. */
export function ratio(ours, theirs) {
  return rounded(median(ours.map(({ seconds }, round) => seconds / theirs[round].seconds)));
}

export function summary(runs) {
  return {
    seconds: rounded(median(runs.map(({ seconds }) => seconds))),
    peakMB: Math.round(Math.max(...runs.map(({ peakMB }) => peakMB))),
  };
}

/** One goal: what was measured against what it may be at most. */
export function goal(name, value, most, unit = '') {
  return { name, value, most, unit, met: value <= most };
}

const columns = (cells, widths) =>
  cells
    .map((cell, index) => String(cell).padEnd(widths[index]))
    .join('  ')
    .trimEnd();

export function table(header, rows) {
  const all = [header, ...rows];
  const widths = header.map((_, index) => Math.max(...all.map((row) => String(row[index]).length)));
  const line = widths.map((width) => '-'.repeat(width)).join('  ');
  return [columns(header, widths), line, ...rows.map((row) => columns(row, widths))].join('\n');
}
