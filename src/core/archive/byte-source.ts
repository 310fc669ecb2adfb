import type { FileHandle } from 'node:fs/promises';
import { cut } from './archive-error.ts';

/** Gives out exact amounts of bytes, so that a format can be read field by field. */
export interface ByteSource {
  /** How many bytes were given out or stepped over. */
  readonly position: number;
  /** Up to `length` bytes: fewer only at the end. */
  read(length: number): Promise<Buffer>;
  /** The next chunk of at most `length` bytes, as it comes; undefined at the end. */
  next(length: number): Promise<Buffer | undefined>;
  /** Steps over bytes and says how many there were: fewer only at the end. */
  skip(length: number): Promise<number>;
  close(): Promise<void>;
}

/** Reads a stream as it comes; what is stepped over is read all the same. */
export function streamSource(chunks: AsyncIterable<Uint8Array>): ByteSource {
  const iterator = chunks[Symbol.asyncIterator]();
  let pending: Buffer = Buffer.alloc(0);
  let position = 0;

  async function next(length: number): Promise<Buffer | undefined> {
    while (pending.length === 0) {
      const step = await iterator.next();
      if (step.done) return undefined;
      pending = asBuffer(step.value);
    }
    const part = pending.length <= length ? pending : pending.subarray(0, length);
    pending = pending.subarray(part.length);
    position += part.length;
    return part;
  }

  return {
    get position() {
      return position;
    },
    next,
    read: (length) => gather(next, length),
    async skip(length) {
      const start = position;
      while (position - start < length) {
        const part = await next(length - (position - start));
        if (part === undefined) break;
      }
      return position - start;
    },
    close: async () => void (await iterator.return?.()),
  };
}

const FILE_CHUNK = 256 * 1024;

/** Reads an open file, and does not read what is stepped over. Closing it is left to its owner. */
export async function fileSource(file: FileHandle): Promise<ByteSource> {
  const { size } = await file.stat();
  let position = 0;

  async function next(length: number): Promise<Buffer | undefined> {
    const buffer = Buffer.allocUnsafe(Math.min(length, FILE_CHUNK));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    position += bytesRead;
    return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
  }

  return {
    get position() {
      return position;
    },
    next,
    read: (length) => gather(next, length),
    async skip(length) {
      const skipped = Math.min(length, Math.max(0, size - position));
      position += skipped;
      return skipped;
    },
    close: async () => undefined,
  };
}

async function gather(next: ByteSource['next'], length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let left = length; left > 0; ) {
    const part = await next(left);
    if (part === undefined) break;
    left -= part.length;
    parts.push(part);
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

/** So many bytes, or the stream was cut. */
export async function exactly(source: ByteSource, length: number): Promise<Buffer> {
  const bytes = await source.read(length);
  if (bytes.length < length) throw cut();
  return bytes;
}

/** The same memory as a `Buffer`. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
