/** The changed lines between two texts, `-` and `+` in front, with one line around each change. */
export function lineDiff(before: string, after: string): string[] {
  const all = editsOf(linesOf(before), linesOf(after));
  const isNear = (index: number) =>
    [-1, 0, 1].some((step) => (all[index + step] ?? ' ')[0] !== ' ');
  return all.filter((_, index) => isNear(index));
}

const linesOf = (text: string): string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n');

/** All lines: what goes stands before what comes in its place. */
function editsOf(a: readonly string[], b: readonly string[]): string[] {
  const edits: string[] = [];
  let [i, j] = [0, 0];
  const upTo = (x: number, y: number) => {
    for (; i < x; i += 1) edits.push(`-${a[i]}`);
    for (; j < y; j += 1) edits.push(`+${b[j]}`);
  };
  for (const [x, y] of commonLines(a, b, { a: [0, a.length], b: [0, b.length] })) {
    upTo(x, y);
    edits.push(` ${a[x]}`);
    [i, j] = [x + 1, y + 1];
  }
  upTo(a.length, b.length);
  return edits;
}

type Lines = readonly string[];
/** A part of each text: from its first line to before its last. */
interface Part {
  readonly a: readonly [number, number];
  readonly b: readonly [number, number];
}

/** Places of lines that stay: the shortest way from one text to the other, after Myers (1986). */
function* commonLines(a: Lines, b: Lines, part: Part): Generator<readonly [number, number]> {
  let [[i, iEnd], [j, jEnd]] = [part.a, part.b];
  while (i < iEnd && j < jEnd && a[i] === b[j]) yield [i++, j++];
  let tail = 0;
  while (iEnd > i && jEnd > j && a[iEnd - 1] === b[jEnd - 1]) {
    [iEnd, jEnd, tail] = [iEnd - 1, jEnd - 1, tail + 1];
  }
  if (i < iEnd && j < jEnd) {
    const [x, y] = middleOf(a, b, { a: [i, iEnd], b: [j, jEnd] });
    yield* commonLines(a, b, { a: [i, x], b: [j, y] });
    yield* commonLines(a, b, { a: [x, iEnd], b: [y, jEnd] });
  }
  for (let k = 0; k < tail; k += 1) yield [iEnd + k, jEnd + k];
}

/**
 * A place in the middle of that way, found from both ends at once. Only the furthest place of each
 * diagonal is kept, so that two long texts need no table of all their lines.
 */
function middleOf(a: Lines, b: Lines, { a: [i, iEnd], b: [j, jEnd] }: Part): [number, number] {
  const [width, height] = [iEnd - i, jEnd - j];
  const delta = width - height;
  const zero = width + height + 1;
  const forth = new Int32Array(2 * zero + 1);
  const back = new Int32Array(2 * zero + 1);
  const at = (reached: Int32Array, k: number): number => reached[zero + k] ?? 0;
  const step = (reached: Int32Array, k: number, d: number, same: SameAt): number => {
    const [below, above] = [at(reached, k - 1), at(reached, k + 1)];
    let x = k === -d || (k !== d && below < above) ? above : below + 1;
    while (x < width && x - k < height && same(x, x - k)) x += 1;
    reached[zero + k] = x;
    return x;
  };
  const isOdd = delta % 2 !== 0;
  for (let d = 0; ; d += 1) {
    for (let k = -d; k <= d; k += 2) {
      const x = step(forth, k, d, (m, n) => a[i + m] === b[j + n]);
      const near = isOdd && Math.abs(delta - k) < d;
      if (near && x + at(back, delta - k) >= width) return [i + x, j + x - k];
    }
    for (let k = -d; k <= d; k += 2) {
      const x = step(back, k, d, (m, n) => a[iEnd - 1 - m] === b[jEnd - 1 - n]);
      const near = !isOdd && Math.abs(delta - k) <= d;
      if (near && x + at(forth, delta - k) >= width) return [iEnd - x, jEnd - (x - k)];
    }
  }
}

type SameAt = (x: number, y: number) => boolean;
