import { type FileHandle, open } from 'node:fs/promises';
import * as z from 'zod';
import { decodeLine, encodeLine } from '../../core/checked-line.ts';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent, unwritable } from '../../core/files.ts';
import { byFirst } from '../../core/order.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { type LayerDelta, layerDeltaSchema } from '../delta/layer-delta.ts';
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
  z.strictObject({ delta: layerDeltaSchema }),
]);
type Line = z.output<typeof lineSchema>;

/**
 * What an unfinished bundle remembers: places, how far each blob has come, what is whole. One line
 * with a checksum per fact; one that is torn or altered is a fact that was not recorded.
 *
 * Nothing waits for the disk here, and disks that are carried about alter what they hold: what an
 * earlier run had whole is read again before it counts.
 */
export class WriterState {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #regions = new Map<Digest, Progress>();
  readonly #deltas = new Map<Digest, LayerDelta>();
  #end = 0;
  #pending = '';
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, file: FileHandle, lines: readonly Line[]) {
    this.#path = path;
    this.#file = file;
    for (const line of lines) this.#take(line);
    this.#doubt();
  }

  /** Every whole blob has to be hashed again; its bytes need not come again if they are right. */
  #doubt(): void {
    for (const region of this.#regions.values()) {
      if (region.done) region.received = region.size;
      region.done = false;
    }
  }

  done(digest: Digest): boolean {
    return this.#regions.get(digest)?.done ?? false;
  }

  received(digest: Digest): number {
    return this.#regions.get(digest)?.received ?? 0;
  }

  /**
   * Where a blob goes; a new one behind all others. So does one that had another size
   * before: in a place too small it would overrun its neighbour.
   */
  async place(digest: Digest, size: number): Promise<Region> {
    const known = this.#regions.get(digest);
    if (known && (known.done || known.size === size)) return known;
    return await this.#placeLast(digest, size);
  }

  async placeAll(blobs: readonly (readonly [Digest, number])[]): Promise<void> {
    const fresh = blobs.filter(([digest]) => !this.#regions.has(digest));
    await Promise.all(fresh.map(([digest, size]) => this.#placeLast(digest, size)));
  }

  async #placeLast(place: Digest, size: number): Promise<Region> {
    const line = { place, offset: this.#end, size };
    await this.#record([line]);
    return line;
  }

  /** Takes over the blobs of a finished bundle that is to grow. */
  async adopt(blobs: readonly BundleBlob[]): Promise<void> {
    const lines = blobs.flatMap(({ digest: place, offset, size }): Line[] =>
      this.done(place) ? [] : [{ place, offset, size }, { done: place }],
    );
    await this.#record(lines);
  }

  /** A layer that is carried as the difference to an older one. */
  delta(digest: Digest): LayerDelta | undefined {
    const delta = this.#deltas.get(digest);
    return delta && this.done(delta.delta.digest) ? delta : undefined;
  }

  /** Whole deltas, sorted. */
  deltas(): readonly LayerDelta[] {
    const all = [...this.#deltas].toSorted(byFirst);
    return all.flatMap(([layer]) => this.delta(layer) ?? []);
  }

  async addDeltas(deltas: readonly LayerDelta[]): Promise<void> {
    await this.#record(deltas.map((delta) => ({ delta })));
  }

  async note(digest: Digest, received: number): Promise<void> {
    await this.#record([{ note: digest, received }]);
  }

  async finish(digest: Digest): Promise<void> {
    await this.#record([{ done: digest }]);
  }

  /** Whole blobs in the order of their places. */
  finished(): readonly BundleBlob[] {
    return [...this.#regions]
      .filter(([, region]) => region.done)
      .map(([blob, { offset, size }]) => ({ digest: blob, size, offset }))
      .toSorted((a, b) => a.offset - b.offset);
  }

  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#file.close().catch((error) => {
      throw unwritable(this.#path, error);
    });
  }

  #take(line: Line): void {
    if ('place' in line) {
      const { offset, size } = line;
      this.#regions.set(line.place as Digest, { offset, size, received: 0, done: false });
      this.#end = Math.max(this.#end, offset + size);
    } else if ('note' in line) {
      const region = this.#regions.get(line.note as Digest);
      // Noted after it was whole: then it turned out to be wrong.
      if (region) Object.assign(region, { received: line.received, done: false });
    } else if ('delta' in line) {
      this.#deltas.set(line.delta.digest, line.delta);
    } else if ('done' in line) {
      const region = this.#regions.get(line.done as Digest);
      if (region) region.done = true;
    }
  }

  /** Facts that come while others are being written go together. */
  #record(lines: readonly Line[]): Promise<void> {
    for (const line of lines) this.#take(line);
    this.#pending += lines.map(encodeLine).join('');
    this.#last = this.#last.then(() => this.#flush());
    return this.#last;
  }

  async #flush(): Promise<void> {
    const text = this.#pending;
    this.#pending = '';
    if (text === '') return;
    try {
      await this.#file.appendFile(text);
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}

export async function openWriterState(path: string, chunkBytes: number): Promise<WriterState> {
  const text = (await readTextIfPresent(path)) ?? '';
  const lines = text.split('\n').flatMap(parseLine);
  const first = lines.find((line) => 'chunkBytes' in line);
  if (first && first.chunkBytes !== chunkBytes) {
    throw new AtollError(
      'BUNDLE_INVALID',
      `Cannot go on with "${path}": it was started with chunks of ${first.chunkBytes} bytes, not ${chunkBytes}`,
      {
        hint: 'Use the same size, or remove the folder and start again',
      },
    );
  }
  try {
    const file = await open(path, 'a');
    // On a line of its own, whatever a kill left at the end.
    await file.appendFile(text === '' ? encodeLine({ chunkBytes }) : '\n');
    return new WriterState(path, file, lines);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function parseLine(line: string): Line[] {
  const parsed = lineSchema.safeParse(decodeLine(line));
  return parsed.success ? [parsed.data] : [];
}
