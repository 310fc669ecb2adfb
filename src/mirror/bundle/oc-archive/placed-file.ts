import { createReadStream } from 'node:fs';
import type { Context } from '../../../core/context.ts';

const READ_BYTES = 1024 * 1024;

/** A file inside another: bytes from an offset on. */
export class PlacedFile {
  readonly size: number;
  readonly #path: string;
  readonly #offset: number;

  constructor(path: string, offset: number, size: number) {
    this.#path = path;
    this.#offset = offset;
    this.size = size;
  }

  async *read(ctx: Context, from = 0): AsyncGenerator<Uint8Array> {
    if (from >= this.size) return;
    const range = { start: this.#offset + from, end: this.#offset + this.size - 1 };
    const options = { ...range, highWaterMark: READ_BYTES, signal: ctx.signal };
    for await (const chunk of createReadStream(this.#path, options)) yield chunk as Buffer;
  }

  /** All of it; only for what is known to be small. */
  async bytes(ctx: Context): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.read(ctx)) parts.push(part);
    return Buffer.concat(parts);
  }
}
