import { appendFile } from 'node:fs/promises';
import { z } from 'zod';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent } from '../../core/files.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import type { BundleBlob } from './bundle-index.ts';

/** The place of a blob in the run of bytes. */
export interface Region {
  readonly offset: number;
  readonly size: number;
}

interface Progress extends Region {
  received: number;
  done: boolean;
}

const digest = z.string().refine(isDigest);
const lineSchema = z.union([
  z.strictObject({ chunkBytes: z.number() }),
  z.strictObject({ place: digest, offset: z.number(), size: z.number() }),
  z.strictObject({ note: digest, received: z.number() }),
  z.strictObject({ done: digest }),
]);
type Line = z.output<typeof lineSchema>;

/**
 * What an unfinished bundle remembers: places, how far each blob has come, what is whole. One JSON
 * line per fact; a torn last line is a fact that was not recorded.
 */
export class WriterState {
  readonly #path: string;
  readonly #regions = new Map<Digest, Progress>();
  #end = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, lines: readonly Line[]) {
    this.#path = path;
    for (const line of lines) this.#take(line);
  }

  done(digest: Digest): boolean {
    return this.#regions.get(digest)?.done ?? false;
  }

  received(digest: Digest): number {
    return this.#regions.get(digest)?.received ?? 0;
  }

  /** Where a blob goes; a new one behind all others. */
  async place(digest: Digest, size: number): Promise<Region> {
    const known = this.#regions.get(digest);
    if (known) return known;
    const line = { place: digest, offset: this.#end, size };
    this.#take(line);
    await this.#append(line);
    return { offset: line.offset, size };
  }

  async note(digest: Digest, received: number): Promise<void> {
    const line = { note: digest, received };
    this.#take(line);
    await this.#append(line);
  }

  async finish(digest: Digest): Promise<void> {
    const line = { done: digest };
    this.#take(line);
    await this.#append(line);
  }

  /** Whole blobs in the order of their places. */
  finished(): readonly BundleBlob[] {
    return [...this.#regions]
      .filter(([, region]) => region.done)
      .map(([blob, { offset, size }]) => ({ digest: blob, size, offset }))
      .toSorted((a, b) => a.offset - b.offset);
  }

  async close(): Promise<void> {
    await this.#last;
  }

  #take(line: Line): void {
    if ('place' in line) {
      const { offset, size } = line;
      this.#regions.set(line.place as Digest, { offset, size, received: 0, done: false });
      this.#end = Math.max(this.#end, offset + size);
    } else if ('note' in line) {
      const region = this.#regions.get(line.note as Digest);
      if (region) region.received = line.received;
    } else if ('done' in line) {
      const region = this.#regions.get(line.done as Digest);
      if (region) region.done = true;
    }
  }

  #append(line: Line): Promise<void> {
    this.#last = this.#last.then(() => appendFile(this.#path, `${JSON.stringify(line)}\n`));
    return this.#last;
  }
}

export async function openWriterState(path: string, chunkBytes: number): Promise<WriterState> {
  const text = (await readTextIfPresent(path)) ?? '';
  const lines = text.split('\n').flatMap(parseLine);
  const [first] = lines;
  if (first && 'chunkBytes' in first && first.chunkBytes !== chunkBytes) {
    throw new AtollError(
      'BUNDLE_INVALID',
      `Cannot go on with "${path}": it was started with chunks of ${first.chunkBytes} bytes, not ${chunkBytes}`,
      {
        hint: 'Use the same size, or remove the folder and start again',
      },
    );
  }
  if (!first) await appendFile(path, `${JSON.stringify({ chunkBytes })}\n`);
  else if (!text.endsWith('\n')) await appendFile(path, '\n');
  return new WriterState(path, lines);
}

function parseLine(line: string): Line[] {
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}
