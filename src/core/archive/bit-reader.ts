import { cut } from './archive-error.ts';
import { streamSource } from './byte-source.ts';

/** Bits, the highest first. `fill` makes sure that so many bytes are at hand as are read until the next. */
export class BitReader {
  readonly #source: ReturnType<typeof streamSource>;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #word = 0;
  #count = 0;
  #given = 0;

  readonly #atLeast: number;

  constructor(chunks: AsyncIterable<Uint8Array>, atLeast: number) {
    this.#atLeast = atLeast;
    this.#source = streamSource(chunks);
  }

  get position(): number {
    return this.#given + this.#at;
  }

  /** Whether there is anything left. */
  async fill(): Promise<boolean> {
    if (this.#bytes.length - this.#at < this.#atLeast) {
      const more = await this.#source.read(2 * this.#atLeast);
      this.#given += this.#at;
      this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), more]);
      this.#at = 0;
    }
    return this.#at < this.#bytes.length || this.#count > 0;
  }

  read(count: number): number {
    while (this.#count < count) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw cut();
      this.#at += 1;
      // Never more than 31 bits are kept: what is above them was read already.
      this.#word = ((this.#word << 8) | byte) & 0x7fffffff;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#word >>> this.#count) & ((1 << count) - 1);
  }

  read32(): number {
    return this.read(16) * 65536 + this.read(16);
  }

  align(): void {
    this.#count -= this.#count % 8;
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}
