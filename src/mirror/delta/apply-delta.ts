import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createBrotliDecompress } from 'node:zlib';
import { collect } from '../../core/bytes.ts';
import { KINDS, NumberReader } from './delta-stream.ts';
import { DELTA_HEADER_BYTES, DELTA_MAGIC } from './make-delta.ts';

/** A delta that can be read from any of its bytes on. */
export interface DeltaSource {
  readonly size: number;
  read(offset: number, length: number): AsyncIterable<Uint8Array>;
}

const OUTPUT_BYTES = 1024 * 1024;

/** The new tar, made from the old one on disk. Not verified: whoever takes the bytes does that. */
export async function* applyDelta(oldTar: string, delta: DeltaSource): AsyncGenerator<Buffer> {
  const [instructions, differences, carried] = await openStreams(delta);
  const file = await open(oldTar);
  try {
    const maker = new Maker(await OldPages.of(file), differences, carried);
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
    await file.close();
  }
}

/** Puts the next bytes together, as far as what is in memory reaches. */
class Maker {
  readonly #old: OldPages;
  readonly #differences: PackedReader;
  readonly #carried: PackedReader;
  #out = Buffer.allocUnsafe(OUTPUT_BYTES);
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
    const count = this.#into(kind, this.#out.subarray(this.#filled, this.#filled + room));
    if (kind !== KINDS.insert) this.#oldAt += count;
    this.#filled += count;
    return count;
  }

  take(): Buffer {
    const taken = this.#out.subarray(0, this.#filled);
    this.#out = Buffer.allocUnsafe(OUTPUT_BYTES);
    this.#filled = 0;
    return taken;
  }

  #into(kind: number, into: Buffer): number {
    if (kind === KINDS.insert) return this.#carried.take(into);
    if (kind === KINDS.copy) return this.#old.copy(this.#oldAt, into);
    return this.#old.add(this.#oldAt, into, this.#differences);
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

function unpacked(packed: AsyncIterable<Uint8Array>): AsyncIterator<Buffer> {
  const brotli = createBrotliDecompress({ chunkSize: 256 * 1024 });
  const source = Readable.from(packed, { objectMode: false });
  source.on('error', (error) => brotli.destroy(error));
  // It may fail before anybody reads from it; whoever does then is told.
  brotli.on('error', () => undefined);
  return source.pipe(brotli)[Symbol.asyncIterator]();
}

/** Decompresses as bytes are taken. */
class PackedReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(packed: AsyncIterable<Uint8Array>) {
    this.#chunks = unpacked(packed);
  }

  get available(): number {
    return this.#bytes.length;
  }

  async fill(): Promise<void> {
    const { done, value } = await this.#chunks.next();
    if (done) throw new RangeError('The delta is cut');
    this.#bytes = value;
  }

  take(into: Buffer): number {
    const count = this.#bytes.copy(into, 0, 0, into.length);
    this.#bytes = this.#bytes.subarray(count);
    return count;
  }
}

const PAGE_BYTES = 2 * 1024 * 1024;
const PAGES = 24;

/** The old tar in a few pages: instructions jump back and forth in it, mostly nearby. */
class OldPages {
  readonly #file: number;
  readonly #size: number;
  readonly #pages = new Map<number, Buffer>();

  private constructor(file: number, size: number) {
    this.#file = file;
    this.#size = size;
  }

  static async of(file: FileHandle): Promise<OldPages> {
    return new OldPages(file.fd, (await file.stat()).size);
  }

  copy(at: number, into: Buffer): number {
    return this.#from(at).copy(into, 0, 0, into.length);
  }

  add(at: number, into: Buffer, differences: PackedReader): number {
    const old = this.#from(at);
    const length = Math.min(into.length, old.length);
    const count = differences.take(into.subarray(0, length));
    for (let offset = 0; offset < count; offset += 1)
      into[offset] = ((into[offset] as number) + (old[offset] as number)) & 0xff;
    return count;
  }

  /** The old bytes from here to the end of their page. */
  #from(at: number): Buffer {
    if (!(at >= 0 && at < this.#size)) throw new RangeError('The delta counts on other bytes');
    const number = Math.floor(at / PAGE_BYTES);
    return this.#page(number).subarray(at - number * PAGE_BYTES);
  }

  #page(number: number): Buffer {
    const known = this.#pages.get(number);
    if (known) return known;
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size >= PAGES) this.#pages.delete(oldest);
    const start = number * PAGE_BYTES;
    const page = Buffer.allocUnsafe(Math.min(PAGE_BYTES, this.#size - start));
    // Not awaited: it comes from the page cache, and a promise for each jump would cost more.
    const read = readSync(this.#file, page, 0, page.length, start);
    if (read < page.length) throw new RangeError('The old tar became shorter');
    this.#pages.set(number, page);
    return page;
  }
}
