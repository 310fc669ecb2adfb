import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { writeChunks } from './unpack-layer.ts';

export const PAGE_BYTES = 2 * 1024 * 1024;
/** Of a file: instructions jump back and forth in it, mostly nearby. */
const PAGES_OF_FILE = 24;
/** What is larger goes through a file: memory does not follow the layer. */
const MOST_IN_MEMORY = 96 * 1024 * 1024;

/** The old bytes in pages: all of them in memory, or a few at a time from a file. */
export class OldPages {
  readonly #size: number;
  readonly #pages: Map<number, Buffer>;
  readonly #file: FileHandle | undefined;
  #last: Buffer = Buffer.alloc(0);
  #lastNumber = -1;

  private constructor(size: number, pages: readonly Buffer[], file?: FileHandle) {
    this.#size = size;
    this.#pages = new Map(pages.entries());
    this.#file = file;
  }

  static async ofFile(path: string): Promise<OldPages> {
    const file = await open(path);
    return new OldPages((await file.stat()).size, [], file);
  }

  /** Takes what comes; more than fits into memory goes to the file `spill`. */
  static async of(
    chunks: AsyncIterable<Uint8Array>,
    spill: string,
    mostInMemory = MOST_IN_MEMORY,
  ): Promise<OldPages> {
    const [pages, rest] = [new PageFiller(), chunks[Symbol.asyncIterator]()];
    for (let step = await rest.next(); !step.done; step = await rest.next()) {
      pages.append(step.value);
      if (pages.size <= mostInMemory) continue;
      await writeChunks(spill, joined(pages.take(), rest));
      return await OldPages.ofFile(spill);
    }
    return new OldPages(pages.size, pages.take());
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  /** The page with the byte at this place. */
  page(at: number): Buffer {
    if (!(at >= 0 && at < this.#size)) throw new RangeError('The delta counts on other bytes');
    const number = Math.floor(at / PAGE_BYTES);
    if (number !== this.#lastNumber) {
      this.#last = this.#pages.get(number) ?? this.#read(number);
      this.#lastNumber = number;
    }
    return this.#last;
  }

  #read(number: number): Buffer {
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size >= PAGES_OF_FILE) this.#pages.delete(oldest);
    const start = number * PAGE_BYTES;
    const page = Buffer.allocUnsafe(Math.min(PAGE_BYTES, this.#size - start));
    // Not awaited: it comes from the page cache, and a promise for each jump would cost more.
    const read = this.#file ? readSync(this.#file.fd, page, 0, page.length, start) : 0;
    if (read < page.length) throw new RangeError('The old file became shorter');
    this.#pages.set(number, page);
    return page;
  }
}

class PageFiller {
  readonly #pages: Buffer[] = [];
  size = 0;

  append(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      const at = this.size % PAGE_BYTES;
      if (at === 0) this.#pages.push(Buffer.allocUnsafeSlow(PAGE_BYTES));
      const part = bytes.subarray(done, done + PAGE_BYTES - at);
      this.#pages.at(-1)?.set(part, at);
      this.size += part.length;
      done += part.length;
    }
  }

  take(): readonly Buffer[] {
    const last = this.size % PAGE_BYTES;
    const full = last === 0 ? this.#pages.length : this.#pages.length - 1;
    return this.#pages.map((page, number) => (number < full ? page : page.subarray(0, last)));
  }
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* first;
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
}
