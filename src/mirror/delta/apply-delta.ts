import { collect } from '../../core/bytes.ts';
import { KINDS, NumberReader } from './delta-stream.ts';
import { DELTA_HEADER_BYTES, DELTA_MAGIC } from './make-delta.ts';
import { OldPages, PAGE_BYTES } from './old-pages.ts';
import { copyBytes, PackedReader, unpacked } from './packed-reader.ts';

/** A delta that can be read from any of its bytes on. */
export interface DeltaSource {
  readonly size: number;
  read(offset: number, length: number): AsyncIterable<Uint8Array>;
}

const OUTPUT_BYTES = 1024 * 1024;

/**
 * The new file, made from the old one, which is closed afterwards, in pieces that are valid until the next is asked for. Not verified: whoever
 * takes the bytes does that.
 */
export async function* applyDelta(
  old: string | OldPages,
  delta: DeltaSource,
): AsyncGenerator<Buffer> {
  const [instructions, differences, carried] = await openStreams(delta);
  const pages = typeof old === 'string' ? await OldPages.ofFile(old) : old;
  try {
    const maker = new Maker(pages, differences, carried);
    // Awaited only where it has to be: a promise for each instruction would cost more than the copying.
    while (instructions.isReady || (await instructions.fill())) {
      const word = instructions.next();
      const kind = word % 4;
      if (kind !== KINDS.insert) maker.move(signed(instructions.next()));
      for (let left = Math.floor(word / 4); left > 0; ) {
        if (maker.lacks(kind)) await maker.fill(kind);
        left -= maker.make(kind, left);
        if (maker.isFull) yield maker.take();
      }
    }
    yield maker.take();
  } finally {
    await pages.close();
  }
}

/** Puts the next bytes together, as far as what is in memory reaches. */
class Maker {
  readonly #old: OldPages;
  readonly #differences: PackedReader;
  readonly #carried: PackedReader;
  readonly #out = Buffer.allocUnsafe(OUTPUT_BYTES);
  #filled = 0;
  #oldAt = 0;

  constructor(old: OldPages, differences: PackedReader, carried: PackedReader) {
    this.#old = old;
    this.#differences = differences;
    this.#carried = carried;
  }

  get isFull(): boolean {
    return this.#filled === this.#out.length;
  }

  move(distance: number): void {
    this.#oldAt += distance;
  }

  lacks(kind: number): boolean {
    return kind !== KINDS.copy && this.#stream(kind).available === 0;
  }

  async fill(kind: number): Promise<void> {
    await this.#stream(kind).fill();
  }

  make(kind: number, most: number): number {
    const room = Math.min(most, this.#out.length - this.#filled);
    const count =
      kind === KINDS.insert
        ? this.#carried.take(this.#out, this.#filled, room)
        : this.#fromOld(kind, room);
    this.#filled += count;
    return count;
  }

  #fromOld(kind: number, most: number): number {
    const page = this.#old.page(this.#oldAt);
    const at = this.#oldAt % PAGE_BYTES;
    const room = Math.min(most, page.length - at);
    let count = room;
    if (kind === KINDS.copy) copyBytes(page, at, this.#out, this.#filled, room);
    else count = this.#differences.add(page, at, this.#out, this.#filled, room);
    this.#oldAt += count;
    return count;
  }

  take(): Buffer {
    const taken = this.#out.subarray(0, this.#filled);
    this.#filled = 0;
    return taken;
  }

  #stream(kind: number): PackedReader {
    return kind === KINDS.insert ? this.#carried : this.#differences;
  }
}

const signed = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

async function openStreams(
  delta: DeltaSource,
): Promise<[NumberReader, PackedReader, PackedReader]> {
  const header = await collect(delta.read(0, DELTA_HEADER_BYTES));
  if (header.length < DELTA_HEADER_BYTES || header.toString('latin1', 0, 8) !== DELTA_MAGIC)
    throw new RangeError('It is no delta');
  const [first = 0, second = 0, third = 0] = [8, 16, 24].map((at) =>
    Number(header.readBigUInt64LE(at)),
  );
  const start = DELTA_HEADER_BYTES;
  if (start + first + second + third !== delta.size) throw new RangeError('The delta is cut');
  return [
    new NumberReader(unpacked(delta.read(start, first))),
    new PackedReader(delta.read(start + first, second)),
    new PackedReader(delta.read(start + first + second, third)),
  ];
}
