import { type FileHandle, open } from 'node:fs/promises';
import { readAt } from './make-delta.ts';
import * as symbols from './symbols.ts';
import { type TarSpan, tarSpans } from './tar-spans.ts';

const PIECE_BYTES = 1024 * 1024;

/** Where the symbols of each entry of a tar lie in the file of its symbols. */
export async function symbolSpans(tar: string, words: string): Promise<TarSpan[]> {
  const [tarFile, wordFile] = [await open(tar), await open(words)];
  try {
    return await cutAt(await tarSpans(tarFile), wordFile);
  } finally {
    await Promise.all([tarFile.close(), wordFile.close()]);
  }
}

async function cutAt(entries: readonly TarSpan[], file: FileHandle): Promise<TarSpan[]> {
  const { size } = await file.stat();
  const spans: TarSpan[] = [];
  const walk = new SymbolWalk();
  let start = 0;
  for (let at = 0; at < size; at += PIECE_BYTES) {
    const piece = await readAt(file, at, Math.min(PIECE_BYTES, size - at));
    const words = new Uint16Array(piece.buffer, piece.byteOffset, piece.length / symbols.WORD);
    for (let begin = 0; ; ) {
      const entry = entries[spans.length];
      if (!entry) break;
      begin = walk.until(entry.end, words, begin);
      if (walk.made < entry.end) break;
      const end = at + begin * symbols.WORD;
      spans.push({ path: entry.path, start, end });
      start = end;
    }
  }
  return [...spans, { path: '', start, end: size }];
}

/** Counts the bytes that symbols stand for. */
class SymbolWalk {
  made = 0;
  /** Words to come that are no symbols, and how many bytes each of them stands for. */
  #skipped = 0;
  #each = 0;
  /** The word that says how many of them there are comes next: how many of what. */
  #counts: 'bytes' | 'raw' | 'bits' | undefined;

  /** Goes on from the word `begin` until so many bytes are made; where that is. */
  until(made: number, words: Uint16Array, begin: number): number {
    let at = begin;
    while (this.made < made && at < words.length) {
      if (this.#skipped > 0) at += this.#skip(words.length - at);
      else this.#read(words[at++] as number);
    }
    return at;
  }

  #skip(most: number): number {
    const count = Math.min(most, this.#skipped);
    this.#skipped -= count;
    this.made += count * this.#each;
    return count;
  }

  #read(word: number): void {
    if (this.#counts) {
      this.#skipped = this.#counts === 'bits' ? Math.ceil(word / 16) : word;
      this.#each = this.#counts === 'bytes' ? 1 : 0;
      this.#counts = undefined;
    } else if (word < symbols.LENGTHS) this.made += 1;
    else if (word < symbols.END_OF_BLOCK) {
      this.made += Math.min(word, symbols.LONGEST - 1) - symbols.LENGTHS + 3;
      this.#skipped = 1;
      this.#each = 0;
    } else if (word === symbols.RAW) this.#counts = 'raw';
    else if (word >= symbols.BLOCK) this.#counts = COUNTED[(word & 7) >> 1];
  }
}

const COUNTED = ['bytes', undefined, 'bits'] as const;
