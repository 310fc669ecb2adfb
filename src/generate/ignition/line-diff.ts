type Line = ' ' | '-' | '+';

/** Beyond this the table below would take too much memory; then all old lines go and all new ones come. */
const MAX_CELLS = 4_000_000;

/** The changed lines between two texts, `-` and `+` in front, with one line around each change. */
export function lineDiff(before: string, after: string): string[] {
  const all = editsOf(linesOf(before), linesOf(after));
  const isNear = (index: number) =>
    [-1, 0, 1].some((step) => (all[index + step]?.[0] ?? ' ') !== ' ');
  return all.filter((_, index) => isNear(index)).map(([mark, line]) => `${mark}${line}`);
}

const linesOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

function editsOf(a: readonly string[], b: readonly string[]): [Line, string][] {
  if (a.length * b.length > MAX_CELLS) {
    return [...a.map((line) => edit('-', line)), ...b.map((line) => edit('+', line))];
  }
  const common = commonLengths(a, b);
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  const edits: [Line, string][] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      edits.push(edit(' ', a[i] ?? ''));
      [i, j] = [i + 1, j + 1];
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      edits.push(edit('-', a[i] ?? ''));
      i += 1;
    } else {
      edits.push(edit('+', b[j] ?? ''));
      j += 1;
    }
  }
  return edits;
}

const edit = (mark: Line, line: string): [Line, string] => [mark, line];

/** For each pair of places, how many lines the rests have in common. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const [row, below] = [table[i] ?? [], table[i + 1] ?? []];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}
