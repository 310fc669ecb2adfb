import { once as event } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { type BrotliCompress, constants, createBrotliCompress } from 'node:zlib';
import type { Context } from '../../core/context.ts';
import { writeAll } from '../../core/write-all.ts';
import { readRange } from '../bundle/chunk-files.ts';
import { type ByteBuffer, DeltaBuffers } from './delta-stream.ts';
import { diff, OF_BYTES, OF_WORDS, SeedIndex, type Units } from './diff.ts';
import { spanMatcher, type TarSpan, tarSpans } from './tar-spans.ts';

/** At most so much of an old entry is in memory, and of a new one: memory does not follow the layer. */
const OLD_WINDOW = 96 * 1024 * 1024;
const NEW_WINDOW = 16 * 1024 * 1024;
/** Taken together, small entries of one layer cost one flush. */
const FLUSH_BYTES = 4 * 1024 * 1024;

export const DELTA_MAGIC = 'ATOLLD01';
export const DELTA_HEADER_BYTES = 32;
const QUALITY = 9;

/** Writes to `path` how the new file is made from the old one, by default of two tars, and says how many bytes that takes. */
export async function makeDelta(
  ctx: Context,
  oldTar: string,
  newTar: string,
  path: string,
  spans?: DeltaSpans,
): Promise<number> {
  const streams = [0, 1, 2].map((number) => new PackedStream(`${path}.${number}`));
  const old = await open(oldTar);
  const fresh = await open(newTar);
  try {
    await diffFiles(ctx, [old, fresh], streams, spans ?? (await spansOf(old, fresh)));
    for (const stream of streams) await stream.end();
    return await joinStreams(ctx, path, streams);
  } finally {
    await Promise.all([old.close(), fresh.close()]);
    for (const stream of streams) await stream.remove();
  }
}

/** What is compared with what; the spans cover all of both files. */
export interface DeltaSpans {
  /** Bytes that belong together: they are compared as one. */
  readonly unit: 1 | 2;
  readonly old: readonly TarSpan[];
  readonly fresh: readonly TarSpan[];
}

const spansOf = async (old: FileHandle, fresh: FileHandle): Promise<DeltaSpans> => ({
  unit: 1,
  old: await tarSpans(old),
  fresh: await tarSpans(fresh),
});

async function diffFiles(
  ctx: Context,
  [old, fresh]: readonly [FileHandle, FileHandle],
  streams: readonly PackedStream[],
  spans: DeltaSpans,
): Promise<void> {
  const buffers = new DeltaBuffers();
  const parts = [buffers.instructions, buffers.differences, buffers.carried];
  const oldOf = spanMatcher(spans.old);
  for (const span of spans.fresh) {
    for await (const _ of diffSpan([old, fresh], [oldOf(span), span], spans.unit, buffers)) {
      ctx.signal.throwIfAborted();
      if (parts.some(({ length }) => length > FLUSH_BYTES)) await flush(parts, streams);
    }
  }
  buffers.flush();
  await flush(parts, streams);
}

async function flush(
  parts: readonly ByteBuffer[],
  streams: readonly PackedStream[],
): Promise<void> {
  await Promise.all(parts.map((part, number) => streams[number]?.write(part.take())));
}

const NOTHING: Buffer = Buffer.alloc(0);

/** One window of a new entry after the other, against the part of the old entry that is as far along. */
async function* diffSpan(
  [old, fresh]: readonly [FileHandle, FileHandle],
  [before, span]: readonly [TarSpan | undefined, TarSpan],
  unit: DeltaSpans['unit'],
  buffers: DeltaBuffers,
): AsyncGenerator<void> {
  const { start, end } = before ?? { start: 0, end: 0 };
  const size = span.end - span.start;
  let indexed = -1;
  let oldBytes = NOTHING;
  let index = new SeedIndex(NOTHING);
  for (let at = 0; at < size; at += NEW_WINDOW) {
    const bytes = await readAt(fresh, span.start + at, Math.min(NEW_WINDOW, size - at));
    const from = windowStart(at, size, end - start);
    if (indexed !== from) {
      // Let go first: two windows and their tables would be the most that is in memory.
      index = new SeedIndex(NOTHING);
      oldBytes = NOTHING;
      oldBytes = await readAt(old, start + from, Math.min(OLD_WINDOW, end - start - from));
      index = new SeedIndex(inUnits(oldBytes, unit), unit === 1 ? OF_BYTES : OF_WORDS);
      indexed = from;
    }
    const sink = buffers.sink(oldBytes, start + from, bytes, unit);
    diff(index, inUnits(bytes, unit), (at - from) / unit, sink);
    yield;
  }
}

function inUnits(bytes: Buffer, unit: DeltaSpans['unit']): Units {
  return unit === 1 ? bytes : new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / unit);
}

/** In steps of half a window, so that neighbours share one index. */
function windowStart(at: number, size: number, oldSize: number): number {
  if (oldSize <= OLD_WINDOW) return 0;
  const step = OLD_WINDOW / 2;
  const middle = (at / size) * oldSize - step;
  const last = oldSize - OLD_WINDOW;
  return Math.max(0, Math.min(last, Math.floor(middle / step) * step));
}

export async function readAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, length));
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) throw new Error('A file became shorter while it was read');
    done += bytesRead;
  }
  return bytes;
}

/** A stream that is compressed into a file of its own: the three grow at the same time. */
class PackedStream {
  readonly path: string;
  readonly #brotli: BrotliCompress;
  readonly #written: Promise<void>;

  constructor(path: string) {
    this.path = path;
    this.#brotli = createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: 22 },
    });
    this.#written = finished(this.#brotli.pipe(createWriteStream(path)));
    this.#written.catch(() => undefined);
  }

  async write(bytes: Buffer): Promise<void> {
    if (bytes.length > 0 && !this.#brotli.write(bytes)) await event(this.#brotli, 'drain');
  }

  async end(): Promise<void> {
    this.#brotli.end();
    await this.#written;
  }

  async remove(): Promise<void> {
    this.#brotli.destroy();
    await rm(this.path, { force: true });
  }
}

async function joinStreams(
  ctx: Context,
  path: string,
  streams: readonly PackedStream[],
): Promise<number> {
  const out = await open(path, 'w');
  const header = Buffer.alloc(DELTA_HEADER_BYTES);
  header.write(DELTA_MAGIC, 0, 'latin1');
  let end = DELTA_HEADER_BYTES;
  try {
    for (const [number, stream] of streams.entries()) {
      const start = end;
      for await (const bytes of readRange(ctx, stream.path)) {
        await writeAll(out, [bytes], end);
        end += bytes.length;
      }
      header.writeBigUInt64LE(BigInt(end - start), 8 + 8 * number);
    }
    await writeAll(out, [header], 0);
    return end;
  } finally {
    await out.close();
  }
}
