import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { makeFolder } from '../../core/files.ts';
import { writeAll } from '../../core/write-all.ts';

// The beginning of a blob in a file, as a sequence of frames:
//
//   length (4 bytes, little endian) | CRC-32 of the bytes (4 bytes) | the bytes
//
// A frame goes out with one write. One that is cut short or altered ends what is kept: it and all
// after it come again from the source.

const HEADER_BYTES = 8;
const MAX_FRAME_BYTES = 1024 * 1024;

/** What is kept of one blob. Trouble with the file ends the keeping, never the transfer. */
export class KeptBlob {
  readonly #file: FileHandle;
  readonly #sizeBytes: number;
  #bytes = 0;
  #position = 0;
  #isBroken = false;
  #lastWrite: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle, sizeBytes: number) {
    this.#file = file;
    this.#sizeBytes = sizeBytes;
  }

  /** Opens or creates the file; undefined where nothing can be kept. */
  static async open(path: string, sizeBytes: number): Promise<KeptBlob | undefined> {
    try {
      await makeFolder(dirname(path), 0o700);
      const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
      return new KeptBlob(file, sizeBytes);
    } catch {
      return undefined;
    }
  }

  /** Where the next byte that is appended belongs in the blob. */
  get end(): number {
    return this.#bytes;
  }

  /**
   * The kept bytes from `offset` on, each frame compared with its checksum first. Once read to the end,
   * what is not sound has been cut off. The memory is valid until the next piece is asked for.
   */
  async *read(offset: number): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafe(MAX_FRAME_BYTES);
    for (;;) {
      const frame = await this.#frameAt(this.#position, buffer, this.#bytes, offset);
      if (!frame) break;
      const start = this.#bytes;
      this.#bytes += frame.length;
      this.#position += HEADER_BYTES + frame.length;
      if (this.#bytes > offset) yield frame.subarray(Math.max(0, offset - start));
    }
    await this.#file.truncate(this.#position).catch(() => this.#giveUp());
  }

  /** Adds bytes at the end. Resolves when their memory is no longer used; never rejects. */
  append(chunk: Uint8Array): Promise<void> {
    // Summed up now: this is what the target is given.
    const parts = framesOf(chunk);
    this.#lastWrite = this.#lastWrite.then(() => this.#write(parts, chunk.length));
    return this.#lastWrite;
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    await this.#file.close().catch(() => undefined);
  }

  async #write(parts: readonly Uint8Array[], bytes: number): Promise<void> {
    if (this.#isBroken) return;
    try {
      await writeAll(this.#file, parts, this.#position);
      this.#position += bytes + (parts.length / 2) * HEADER_BYTES;
      this.#bytes += bytes;
    } catch {
      this.#giveUp();
    }
  }

  /** The sound frame at a position; bytes before `offset` are not read, for they are not used. */
  async #frameAt(
    position: number,
    buffer: Buffer,
    start: number,
    offset: number,
  ): Promise<Buffer | undefined> {
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      const { bytesRead } = await this.#file.read(header, 0, HEADER_BYTES, position);
      const length = header.readUInt32LE(0);
      const isPlausible = length > 0 && length <= MAX_FRAME_BYTES;
      if (bytesRead < HEADER_BYTES || !isPlausible || start + length > this.#sizeBytes) return;
      const frame = buffer.subarray(0, length);
      if (start + length <= offset) return frame;
      const found = await this.#file.read(frame, 0, length, position + HEADER_BYTES);
      return found.bytesRead === length && crc32(frame) === header.readUInt32LE(4)
        ? frame
        : undefined;
    } catch {
      return undefined;
    }
  }

  #giveUp(): void {
    this.#isBroken = true;
  }
}

function framesOf(chunk: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < chunk.length; at += MAX_FRAME_BYTES) {
    const bytes = chunk.subarray(at, at + MAX_FRAME_BYTES);
    const header = Buffer.allocUnsafe(HEADER_BYTES);
    header.writeUInt32LE(bytes.length, 0);
    header.writeUInt32LE(crc32(bytes), 4);
    parts.push(header, bytes);
  }
  return parts;
}
