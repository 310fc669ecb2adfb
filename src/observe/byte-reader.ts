/** Pulls exact amounts out of a stream of chunks, so that a format can be read field by field. */
export interface ByteReader {
  /** Up to `length` bytes: fewer only at the end of the stream. */
  read(length: number): Promise<Buffer>;
  /** The next `length` bytes as they come, without gathering them; ends early with the stream. */
  stream(length: number): AsyncGenerator<Buffer>;
}

export function byteReader(chunks: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = chunks[Symbol.asyncIterator]();
  let pending: Buffer = Buffer.alloc(0);
  let ended = false;

  async function fill(): Promise<void> {
    while (pending.length === 0 && !ended) {
      const next = await iterator.next();
      if (next.done) ended = true;
      else pending = asBuffer(next.value);
    }
  }

  function take(length: number): Buffer {
    const part = pending.subarray(0, length);
    pending = pending.subarray(part.length);
    return part;
  }

  async function* stream(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      await fill();
      if (pending.length === 0) return;
      const part = take(left);
      left -= part.length;
      yield part;
    }
  }

  async function read(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of stream(length)) parts.push(part);
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  }

  return { read, stream };
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
