import type { NumberedLines } from './line-scanner.ts';

/** Terminals, mails and tickets break lines here. */
const NARROWEST = 60;
const WIDEST = 320;

/**
 * Lines that a terminal broke at its width, put together again; undefined where none were. `isStart` tells a line that
 * begins by itself: it goes on with nothing.
 */
export function unwrapped(
  text: string,
  isStart: (line: string) => boolean,
): NumberedLines | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  const width = widthOf(lines, isStart);
  return width === undefined ? undefined : joined(lines, width, isStart);
}

const lengthOf = (line: string): number => line.replace(/\r$/, '').length;

/** The width at which lines were broken: that of the longest, if several different ones have it and go on. */
function widthOf(lines: readonly string[], isStart: (line: string) => boolean): number | undefined {
  const width = lines.reduce((most, line) => Math.max(most, lengthOf(line)), 0);
  if (width < NARROWEST || width > WIDEST) return undefined;
  const broken = lines.filter((line, index) => {
    const next = lines[index + 1] ?? '';
    const isRow = isOfTable(line) && isOfTable(next);
    return lengthOf(line) === width && !isRow && goesOn(next, isStart);
  });
  const shapes = new Set(broken.map((line) => line.replace(/[0-9a-f]+/gi, '#')));
  return shapes.size > (USUAL.has(width) ? 0 : 1) ? width : undefined;
}

/** Of these widths one line is enough: few lines have one of them by chance. */
const USUAL: ReadonlySet<number> = new Set([72, 80, 100, 120, 132, 160]);

const goesOn = (line: string, isStart: (line: string) => boolean): boolean =>
  line.trim() !== '' && !isStart(line);

/** Rows of a table are of one width, too. */
const isOfTable = (line: string): boolean => (line.match(/\S {2,}(?=\S)|\S\t/g)?.length ?? 0) > 1;

function joined(
  lines: readonly string[],
  width: number,
  isStart: (line: string) => boolean,
): NumberedLines {
  const made: string[] = [];
  const numbers: number[] = [];
  for (const [index, raw] of lines.entries()) {
    const line = raw.replace(/\r$/, '');
    const length = lengthOf(lines[index - 1] ?? '');
    // A space at the very end is lost when text is copied.
    const isBroken = index > 0 && length >= width - 1 && goesOn(line, isStart);
    if (isBroken) made.push(`${made.pop() ?? ''}${length < width ? ' ' : ''}${line}`);
    else {
      made.push(line);
      numbers.push(index + 1);
    }
  }
  return { bytes: Buffer.from(`${made.join('\n')}\n`), numbers };
}
