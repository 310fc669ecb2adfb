import type { Context } from '../../../core/context.ts';
import { readRange } from '../chunk-files.ts';

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

  read(ctx: Context, from = 0): AsyncGenerator<Uint8Array> {
    return readRange(ctx, this.#path, this.#offset + from, this.#offset + this.size);
  }

  /** All of it; only for what is known to be small. */
  async bytes(ctx: Context): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const part of this.read(ctx)) parts.push(part);
    return Buffer.concat(parts);
  }
}
