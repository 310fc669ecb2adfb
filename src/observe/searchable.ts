import { once } from '../core/bytes.ts';
import type { FileKind } from './file-kind.ts';
import { journalExportAsText } from './formats/journal-export.ts';
import { journalFieldsAsText } from './formats/journal-fields.ts';
import { withTextMessages } from './formats/journal-json.ts';
import { journalListAsText } from './formats/journal-list.ts';
import { PROMPT, placeLine } from './place-line.ts';
import { type NumberedLines, wholeLines } from './scan/line-scanner.ts';
import { parted } from './scan/part.ts';
import { plainLines } from './scan/plain-lines.ts';
import { unwrapped } from './scan/unwrap.ts';

/** Lines in which text can be found as it is: those of the file, or some that were made from them. */
export type Searchable =
  | { readonly chunks: AsyncIterable<Buffer> }
  | { readonly made: AsyncIterable<NumberedLines> };

export async function searchable(
  content: AsyncIterable<Buffer>,
  kind: FileKind,
  now: Date,
): Promise<Searchable> {
  const { format, guessed } = kind;
  if (format === 'journal-export') return { made: journalExportAsText(content) };
  if (format === 'journal-fields') return { made: journalFieldsAsText(content) };
  if (format === 'journal-list') return { made: journalListAsText(content) };
  if (format === 'journal-json') return { chunks: withTextMessages(wholeLines(content)) };
  // Only what somebody pasted was broken by a terminal or lost its breaks, and people name it like the log it is from.
  if (!guessed && !/^(?:logrus|oc-mirror)$/.test(format)) return { chunks: content };
  const { whole, chunks } = await ifSmall(content, MAX_PASTE);
  const isStart = (line: string) => isPlaced(line, kind, now);
  const text = whole && plainLines(whole).toString('utf8');
  const made = text === undefined ? undefined : (parted(text) ?? unwrapped(text, isStart));
  return made ? { made: once(made) } : { chunks };
}

const MAX_PASTE = 256 * 1024;

const isPlaced = (line: string, kind: FileKind, now: Date): boolean => {
  const { origins, at } = placeLine(line, kind, now);
  return origins.length > 0 || at !== undefined || PROMPT.test(line);
};

/** All of a content that is no larger than this, and whatever its size the same again. */
async function ifSmall(
  content: AsyncIterable<Buffer>,
  most: number,
): Promise<{ readonly whole?: Buffer; readonly chunks: AsyncIterable<Buffer> }> {
  const iterator = content[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let size = 0;
  async function* again(): AsyncGenerator<Buffer> {
    yield* parts;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  while (size <= most) {
    const next = await iterator.next();
    if (next.done) return { whole: Buffer.concat(parts), chunks: again() };
    parts.push(next.value);
    size += next.value.length;
  }
  return { chunks: again() };
}
