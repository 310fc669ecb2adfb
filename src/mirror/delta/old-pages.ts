import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

export const PAGE_BYTES = 2 * 1024 * 1024;
const PAGES = 24;

/** The old tar in a few pages: instructions jump back and forth in it, mostly nearby. */
export class OldPages {
  readonly #file: number;
  readonly #size: number;
  readonly #pages = new Map<number, Buffer>();
  #last: Buffer = Buffer.alloc(0);
  #lastNumber = -1;

  private constructor(file: number, size: number) {
    this.#file = file;
    this.#size = size;
  }

  static async of(file: FileHandle): Promise<OldPages> {
    return new OldPages(file.fd, (await file.stat()).size);
  }

  /** The page with the byte at this place. */
  page(at: number): Buffer {
    if (!(at >= 0 && at < this.#size)) throw new RangeError('The delta counts on other bytes');
    const number = Math.floor(at / PAGE_BYTES);
    if (number !== this.#lastNumber) {
      this.#last = this.#page(number);
      this.#lastNumber = number;
    }
    return this.#last;
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
