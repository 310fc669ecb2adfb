import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { makeFolder, unwritable } from '../../core/files.ts';
import { writeAll } from '../../core/write-all.ts';
import { chunkFile } from './bundle-index.ts';

const READ_BYTES = 1024 * 1024;

interface Piece {
  readonly chunk: number;
  readonly at: number;
  readonly length: number;
}

/** The parts of chunk files that a run of bytes covers. Chunks count from 0. */
export function piecesOf(offset: number, length: number, chunkBytes: number): Piece[] {
  const pieces: Piece[] = [];
  let position = offset;
  const end = offset + length;
  while (position < end) {
    const chunk = Math.floor(position / chunkBytes);
    const at = position - chunk * chunkBytes;
    const part = Math.min(end - position, chunkBytes - at);
    pieces.push({ chunk, at, length: part });
    position += part;
  }
  return pieces;
}

/** One long run of bytes in a folder of chunk files: written and read at any offset. */
export class ChunkFiles {
  readonly #folder: string;
  readonly #chunkBytes: number;
  readonly #flags: 'r' | 'r+';
  readonly #open = new Map<number, Promise<FileHandle>>();

  constructor(folder: string, chunkBytes: number, mode: 'read' | 'write') {
    this.#folder = folder;
    this.#chunkBytes = chunkBytes;
    this.#flags = mode === 'read' ? 'r' : 'r+';
  }

  async write(offset: number, bytes: Uint8Array): Promise<void> {
    let done = 0;
    try {
      for (const { chunk, at, length } of piecesOf(offset, bytes.length, this.#chunkBytes)) {
        const file = await this.#file(chunk);
        await writeAll(file, [bytes.subarray(done, done + length)], at);
        done += length;
      }
    } catch (error) {
      throw unwritable(this.#folder, error);
    }
  }

  async *read(ctx: Context, offset: number, length: number): AsyncGenerator<Uint8Array> {
    for (const piece of piecesOf(offset, length, this.#chunkBytes)) {
      const file = await this.#file(piece.chunk);
      for (let done = 0; done < piece.length; ) {
        ctx.signal.throwIfAborted();
        const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, piece.length - done));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, piece.at + done);
        if (bytesRead === 0) return;
        done += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    }
  }

  async close(): Promise<void> {
    const files = await Promise.all(this.#open.values());
    this.#open.clear();
    const closed = await Promise.allSettled(files.map((file) => file.close()));
    const failed = closed.find((each) => each.status === 'rejected');
    if (failed) throw unwritable(this.#folder, failed.reason);
  }

  #file(chunk: number): Promise<FileHandle> {
    const known = this.#open.get(chunk) ?? this.#openFile(chunk);
    this.#open.set(chunk, known);
    known.catch(() => this.#open.delete(chunk));
    return known;
  }

  async #openFile(chunk: number): Promise<FileHandle> {
    const path = join(this.#folder, chunkFile(chunk + 1));
    if (this.#flags === 'r') return open(path, 'r');
    await makeFolder(this.#folder);
    // Made if absent, never cut: an interrupted run goes on in it.
    await (await open(path, 'a')).close();
    return open(path, 'r+');
  }
}

/** A file from `start` to before `end`, in large pieces. */
export async function* readRange(
  ctx: Context,
  path: string,
  start = 0,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  if (start >= end) return;
  const options = { start, end: end - 1, highWaterMark: READ_BYTES, signal: ctx.signal };
  for await (const chunk of createReadStream(path, options)) yield chunk as Buffer;
}

/** Of the whole file, or of what is before `end`. */
export async function hashFile(ctx: Context, path: string, end?: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of readRange(ctx, path, 0, end)) hash.update(bytes);
  return hash.digest('hex');
}

export async function sizeOfFile(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
