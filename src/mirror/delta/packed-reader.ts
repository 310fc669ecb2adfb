import { Readable } from 'node:stream';
import { createBrotliDecompress } from 'node:zlib';

export function unpacked(packed: AsyncIterable<Uint8Array>): AsyncIterator<Buffer> {
  const brotli = createBrotliDecompress({ chunkSize: 256 * 1024 });
  const source = Readable.from(packed, { objectMode: false });
  source.on('error', (error) => brotli.destroy(error));
  // It may fail before anybody reads from it; whoever does then is told.
  brotli.on('error', () => undefined);
  return source.pipe(brotli)[Symbol.asyncIterator]();
}

/** Most runs are short: then a loop is faster than a call. */
const SHORT = 48;

export function copyBytes(from: Buffer, at: number, to: Buffer, toAt: number, count: number): void {
  if (count > SHORT) from.copy(to, toAt, at, at + count);
  else
    for (let offset = 0; offset < count; offset += 1)
      to[toAt + offset] = from[at + offset] as number;
}

/** Decompresses as bytes are taken. */
export class PackedReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(packed: AsyncIterable<Uint8Array>) {
    this.#chunks = unpacked(packed);
  }

  get #available(): number {
    return this.#bytes.length - this.#at;
  }

  async fill(): Promise<true> {
    const { done, value } = await this.#chunks.next();
    if (done) throw new RangeError('The delta is cut');
    this.#bytes = value;
    this.#at = 0;
    return true;
  }

  take(to: Buffer, toAt: number, most: number): number {
    const count = Math.min(most, this.#available);
    copyBytes(this.#bytes, this.#at, to, toAt, count);
    this.#at += count;
    return count;
  }

  /** The sums of the bytes that are taken and of old ones. */
  add(old: Buffer, oldAt: number, to: Buffer, toAt: number, most: number): number {
    const [bytes, at, count] = [this.#bytes, this.#at, Math.min(most, this.#available)];
    for (let offset = 0; offset < count; offset += 1)
      to[toAt + offset] = (bytes[at + offset] as number) + (old[oldAt + offset] as number);
    this.#at += count;
    return count;
  }
}
