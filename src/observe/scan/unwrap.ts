import type { NumberedLines } from './line-scanner.ts';

/** Terminals, mails and tickets break lines here. */
const NARROWEST = 60;
const WIDEST = 320;
/** Nobody reads wider text. */
const WIDEST_TEXT = 132;

/**
 * Lines that a terminal broke at its width, or a mail between words, put together again; undefined where none were. `isStart` tells a line that
 * begins by itself: it goes on with nothing.
 */
export function unwrapped(
  text: string,
  isStart: (line: string) => boolean,
): NumberedLines | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  const width = widthOf(lines, isStart);
  if (width !== undefined)
    return joined(lines, (index) => cutBetween(lines, index, width, isStart));
  const filled = filledLines(lines, isStart);
  return filled && joined(lines, (index) => (filled.has(index) ? ' ' : undefined));
}

/** The same for lines that differ in numbers only. */
const shapeOf = (line: string): string => line.replace(/[0-9a-f]+/gi, '#');

const lengthOf = (line: string): number => line.replace(/\r$/, '').length;

/** The width at which lines were broken: that of the longest, if several different ones have it and go on. */
function widthOf(lines: readonly string[], isStart: (line: string) => boolean): number | undefined {
  const width = lines.reduce((most, line) => Math.max(most, lengthOf(line)), 0);
  if (width < NARROWEST || width > WIDEST) return undefined;
  const broken = lines.filter((line, index) => {
    const next = lines[index + 1] ?? '';
    const isRow = isOfTable(line) && isOfTable(next);
    return lengthOf(line) === width && !isRow && goesOn(next, isStart) && !isEnded(line, next);
  });
  const shapes = new Set(broken.map(shapeOf));
  return shapes.size > (USUAL.has(width) ? 0 : 1) ? width : undefined;
}

/** Of these widths one line is enough: few lines have one of them by chance. */
const USUAL: ReadonlySet<number> = new Set([72, 80, 100, 120, 132, 160]);

/** A sentence or a quote that is closed, and the next that begins: no terminal breaks there but by chance. So wide is an error of curl, too. */
const isEnded = (line: string, next: string): boolean =>
  (/\w["'.)\]]$/.test(line) && /^[A-Z][a-z]+ /.test(next)) || next.startsWith('More details here:');

const goesOn = (line: string, isStart: (line: string) => boolean): boolean =>
  line.trim() !== '' && !BEGINS.test(line) && !isStart(line);

/** The time that the log package of Go, nginx and others write first. */
const BEGINS = /^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d/;

/** Rows of a table are of one width, too. */
const isOfTable = (line: string): boolean => (line.match(/\S {2,}(?=\S)|\S\t/g)?.length ?? 0) > 1;

/** What a terminal took away between a line and the one before it; undefined where they are two. */
function cutBetween(
  lines: readonly string[],
  index: number,
  width: number,
  isStart: (line: string) => boolean,
): string | undefined {
  const length = lengthOf(lines[index - 1] ?? '');
  if (index === 0 || length < width - 1 || !goesOn(lines[index] ?? '', isStart)) return undefined;
  // A space at the very end is lost when text is copied.
  return length < width ? ' ' : '';
}

/**
 * Lines that go on with the one before, where text was broken between words: their first word had no room there.
 * Undefined where too many have another reason to stand alone.
 */
function filledLines(
  lines: readonly string[],
  isStart: (line: string) => boolean,
): ReadonlySet<number> | undefined {
  const width = lines.reduce((most, line) => Math.max(most, lengthOf(line)), 0);
  if (width < NARROWEST || width > WIDEST_TEXT) return undefined;
  const following = lines.flatMap((line, index) =>
    index > 0 && goesOn(line, isStart) && !isOfTable(line) ? [index] : [],
  );
  const filled = following.filter((index) => {
    const [line, before] = [lines[index] ?? '', lines[index - 1] ?? ''];
    const [word = ''] = /\S+/.exec(line) ?? [];
    return shapeOf(line) !== shapeOf(before) && lengthOf(before) + 1 + word.length > width;
  });
  const isText = filled.length > 1 && filled.length >= FILLED_SHARE * following.length;
  return isText ? new Set(filled) : undefined;
}

/** Among what was pasted there may be a few lines that nobody can place. */
const FILLED_SHARE = 0.7;

function joined(
  lines: readonly string[],
  gapBefore: (index: number) => string | undefined,
): NumberedLines {
  const made: string[] = [];
  const numbers: number[] = [];
  for (const [index, raw] of lines.entries()) {
    const line = raw.replace(/\r$/, '');
    const gap = gapBefore(index);
    if (gap !== undefined) made.push(`${made.pop() ?? ''}${gap}${line}`);
    else {
      made.push(line);
      numbers.push(index + 1);
    }
  }
  return { bytes: Buffer.from(`${made.join('\n')}\n`), numbers };
}
