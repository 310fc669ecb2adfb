import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { ArchiveError } from '../../core/archive/archive-error.ts';
import { fileSource } from '../../core/archive/byte-source.ts';
import { readTar } from '../../core/archive/read-tar.ts';

/** One entry of a tar with its headers and its padding; the spans of a tar cover all of it. */
export interface TarSpan {
  readonly path: string;
  readonly start: number;
  readonly end: number;
}

/** Where the entries lie. What is no tar, or the rest of a damaged one, is one span without a path. */
export async function tarSpans(file: FileHandle): Promise<TarSpan[]> {
  const { size } = await file.stat();
  const spans: TarSpan[] = [];
  let start = 0;
  try {
    for await (const entry of readTar(await fileSource(file), { endless: true })) {
      const end = Math.min(size, entry.offset + 512 * Math.ceil(entry.size / 512));
      spans.push({ path: entry.path, start, end });
      start = end;
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
  }
  return start < size ? [...spans, { path: '', start, end: size }] : spans;
}

/** Finds the old entry that a new one most likely was: at the same path, else of the same name. */
export function spanMatcher(old: readonly TarSpan[]): (span: TarSpan) => TarSpan | undefined {
  const byPath = new Map(old.map((span) => [span.path, span]));
  const byName = new Map<string, TarSpan[]>();
  for (const span of old) {
    const name = basename(span.path);
    byName.set(name, [...(byName.get(name) ?? []), span]);
  }
  const sizeOf = ({ start, end }: TarSpan) => end - start;
  return (span) => {
    const same = byPath.get(span.path);
    if (same) return same;
    const distance = (other: TarSpan) => Math.abs(sizeOf(other) - sizeOf(span));
    const named = byName.get(basename(span.path)) ?? [];
    return named.reduce<TarSpan | undefined>(
      (best, each) => (best && distance(best) <= distance(each) ? best : each),
      undefined,
    );
  };
}
