import { type FileHandle, open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import type { ByteRange } from '../store.ts';

/** Measured: below this the system calls cost more than the copying, above it nothing is won. */
const READ_BYTES = 512 * 1024;

/** Reads until the buffer is full or the file ends: a short read is not the end of a file. */
export async function readFully(
  file: FileHandle,
  buffer: Uint8Array,
  position: number,
): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const rest = buffer.length - filled;
    const { bytesRead } = await file.read(buffer, filled, rest, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/**
 * The bytes of an open file, one read ahead of the consumer. Each chunk has its own memory and
 * belongs to the consumer. Ends early if the file does.
 */
export async function* readFileChunks(
  file: FileHandle,
  range: ByteRange,
  chunkBytes = READ_BYTES,
): AsyncGenerator<Uint8Array> {
  const readAt = async (position: number): Promise<Uint8Array> => {
    const length = Math.min(chunkBytes, range.end + 1 - position);
    if (length <= 0) return new Uint8Array(0);
    const buffer = Buffer.allocUnsafeSlow(length);
    return buffer.subarray(0, await readFully(file, buffer, position));
  };

  let position = range.start;
  let next = readAt(position);
  try {
    while (true) {
      const chunk = await next;
      if (chunk.length === 0) return;
      position += chunk.length;
      next = readAt(position);
      yield chunk;
    }
  } finally {
    // Nobody may close the file under a read.
    await next.catch(() => undefined);
  }
}

/** Opens, reads and closes: the whole file, or a range of it. */
export async function* readPath(path: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
  const file = await open(path, 'r');
  try {
    yield* readFileChunks(file, range ?? { start: 0, end: Number.MAX_SAFE_INTEGER });
  } finally {
    await file.close();
  }
}

const MIB = 1024 * 1024;
const SMALLEST_BYTES = 16 * 1024;
/** What is kept for the next ones when nobody reads. */
const IDLE_BYTES = 2 * MIB;

/** Buffers that are used again, so that serving files costs no garbage. */
export interface BufferPool {
  /** The smaller, the more of them are out: a thousand readers take as much memory as a few. */
  take(): Buffer;
  give(buffer: Buffer): void;
  /** Instead of giving it back, when somebody may still read it: it is not used again. */
  forget(buffer: Buffer): void;
  /** All that is out or kept. */
  readonly bytes: number;
}

export interface BufferPoolOptions {
  /** So much is out at once, and beyond that no more than the smallest buffer for each reader. */
  readonly maxBytes?: number;
  /** Of the largest buffer. */
  readonly bufferBytes?: number;
  /** Nobody reads any more, and much of what was out is not kept. */
  readonly onQuiet?: () => void;
}

export function createBufferPool({
  maxBytes = 32 * MIB,
  bufferBytes = READ_BYTES,
  onQuiet,
}: BufferPoolOptions = {}): BufferPool {
  const free: Buffer[] = [];
  let [out, kept, most] = [0, 0, 0];

  /** A sixteenth of what is left, as a power of two. */
  function sizeNow(): number {
    let size = bufferBytes;
    while (size > SMALLEST_BYTES && size > (maxBytes - out) / 16) size /= 2;
    return size;
  }

  function dropTo(bytes: number): void {
    while (kept > bytes) kept -= free.shift()?.length ?? 0;
  }

  function back({ length }: Buffer): void {
    out -= length;
    if (out === 0) quiet();
  }

  function quiet(): void {
    const isMuch = most > maxBytes / 4;
    most = 0;
    dropTo(IDLE_BYTES);
    if (isMuch) onQuiet?.();
  }

  return {
    get bytes() {
      return out + kept;
    },
    take() {
      const size = sizeNow();
      const at = free.findIndex(({ length }) => length === size);
      const buffer = at < 0 ? Buffer.allocUnsafeSlow(size) : (free.splice(at, 1)[0] as Buffer);
      if (at >= 0) kept -= size;
      out += size;
      most = Math.max(most, out);
      return buffer;
    },
    give(buffer) {
      free.push(buffer);
      kept += buffer.length;
      dropTo(maxBytes / 4);
      back(buffer);
    },
    forget: back,
  };
}

/**
 * Writes a part of a file to a stream through pooled buffers, reading one ahead while the last
 * one is on its way. Does not end the stream. Rejects if the stream breaks or the file is short.
 * The stream must be done with the memory when it calls back, as sockets and responses are.
 */
export async function pumpFile(
  file: FileHandle,
  range: ByteRange,
  stream: Writable,
  pool: BufferPool,
  onBytes?: (bytes: Uint8Array) => void,
): Promise<void> {
  let writing: Promise<void> = Promise.resolve();
  for (let position = range.start; position <= range.end; ) {
    const buffer = pool.take();
    let filled: number;
    try {
      const wanted = Math.min(buffer.length, range.end + 1 - position);
      filled = await readFully(file, buffer.subarray(0, wanted), position);
      onBytes?.(buffer.subarray(0, filled));
      await writing;
      if (filled < wanted) throw new Error(`The file ended ${wanted - filled} bytes early`);
    } catch (error) {
      pool.give(buffer);
      throw error;
    }
    writing = writeAndRecycle(stream, buffer, filled, pool);
    // An error shows at the next await; until then it must not count as unhandled.
    writing.catch(() => undefined);
    position += filled;
  }
  await writing;
}

function writeAndRecycle(
  stream: Writable,
  buffer: Buffer,
  length: number,
  pool: BufferPool,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // A destroyed response answers no callback for what it had queued.
    const onClose = () => {
      pool.forget(buffer);
      reject(new Error('The stream closed before all bytes were sent'));
    };
    stream.once('close', onClose);
    stream.write(buffer.subarray(0, length), (error) => {
      stream.off('close', onClose);
      if (error) {
        pool.forget(buffer);
        return reject(error);
      }
      pool.give(buffer);
      resolve();
    });
  });
}
