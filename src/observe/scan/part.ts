import type { NumberedLines } from './line-scanner.ts';

/** How the lines of a log begin, each kind by itself: a line of one kind may well quote another. */
const HEADS: readonly RegExp[] = [
  /time="\d{4}-[^"]{10,30}" level=\w+ msg=/,
  /[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w./-]+:\d+\] /,
  /(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [\w.@-]+\[\d+\]: /,
];
const KINDS = HEADS.map(({ source }) => ({
  begins: new RegExp(`^[\\s>\`]*${source}`),
  between: new RegExp(`\\s+(?=${source})`, 'g'),
}));

/** Lines that lost their breaks when they were copied, each by itself again; undefined where none did. */
export function parted(text: string): NumberedLines | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  const parts = lines.map(partsOf);
  if (parts.every(({ length }) => length === 1)) return undefined;
  return {
    bytes: Buffer.from(`${parts.flat().join('\n')}\n`),
    numbers: parts.flatMap((of, index) => of.map(() => index + 1)),
  };
}

function partsOf(line: string): readonly string[] {
  const kind = KINDS.find(({ begins }) => begins.test(line));
  return kind ? line.split(kind.between) : [line];
}
