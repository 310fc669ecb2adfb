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
    const maker = new Maker(pages, instructions, differences, carried);
    // Awaited only where it has to be: a promise for each instruction would cost more than the copying.
    for (;;) {
      const lacking = maker.run();
      if (!lacking) yield maker.take();
      else if (!(await lacking.fill())) break;
    }
    yield maker.take();
  } finally {
    await pages.close();
  }
}

/** Puts the next bytes together, as far as what is in memory reaches. */
class Maker {
  readonly #old: OldPages;
  readonly #instructions: NumberReader;
  readonly #differences: PackedReader;
  readonly #carried: PackedReader;
  readonly #out = Buffer.allocUnsafe(OUTPUT_BYTES);
  #filled = 0;
  #oldAt = 0;
  /** Of the instruction that is being followed. */
  #kind = 0;
  #left = 0;

  constructor(
    old: OldPages,
    instructions: NumberReader,
    differences: PackedReader,
    carried: PackedReader,
  ) {
    this.#old = old;
    this.#instructions = instructions;
    this.#differences = differences;
    this.#carried = carried;
  }

  /** What has to be filled before it can go on; nothing where the output is full. */
  run(): NumberReader | PackedReader | undefined {
    for (;;) {
      while (this.#left > 0) {
        if (this.#filled === this.#out.length) return undefined;
        const made = this.#make(this.#kind, this.#left);
        if (made === 0) return this.#stream(this.#kind);
        this.#left -= made;
      }
      if (!this.#instructions.isReady) return this.#instructions;
      const word = this.#instructions.next();
      this.#kind = word % 4;
      this.#left = Math.floor(word / 4);
      if (this.#kind !== KINDS.insert) this.#oldAt += signed(this.#instructions.next());
    }
  }

  #make(kind: number, most: number): number {
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
