import { Decompress } from 'fzstd';
import { ArchiveError } from '../../core/archive/archive-error.ts';
import { gunzip, isGzip } from '../../core/archive/gunzip.ts';
import { AtollError, messageOf } from '../../core/errors.ts';

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Frames a zstd reader steps over: 0x184D2A50 to 0x184D2A5F, little endian. */
const ZSTD_SKIPPABLE_MAGIC = [0x2a, 0x4d, 0x18];
const LONGEST_MAGIC = 4;

/** No layer needs more; what unfolds for ever is stopped here. gzip cannot exceed this ratio, so it counts not. */
const LIMITS = { maxBytes: 256 * 1024 ** 3, maxRatio: 1100, ratioFloorBytes: 1024 ** 3 };
/** What one piece of zstd may unfold to, all of which is in memory at once. */
const MAX_BURST_BYTES = 512 * 1024 ** 2;

export type Compression = 'gzip' | 'zstd' | 'none';

/** What the first bytes of a stream say; media types in the wild are not to be trusted here. */
export function compressionOf(head: Uint8Array): Compression {
  const startsWith = (magic: readonly number[], at = 0) =>
    magic.every((byte, index) => head[at + index] === byte);
  if (isGzip(head)) return 'gzip';
  if (startsWith(ZSTD_MAGIC)) return 'zstd';
  const skippable = ((head[0] ?? 0) & 0xf0) === 0x50 && startsWith(ZSTD_SKIPPABLE_MAGIC, 1);
  return skippable ? 'zstd' : 'none';
}

/** The bytes without their compression, whichever it is. */
export async function* decompressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const head = await readHead(iterator);
    const whole = prepended(head, iterator);
    const kind = compressionOf(head);
    if (kind === 'gzip') yield* gunzipped(whole);
    else if (kind === 'zstd') yield* unzstd(whole);
    else yield* whole;
  } finally {
    await iterator.return?.();
  }
}

async function readHead(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < LONGEST_MAGIC) {
    const next = await iterator.next();
    if (next.done) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return head;
}

async function* prepended(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* gunzip(chunks, LIMITS);
  } catch (error) {
    throw error instanceof ArchiveError ? broken('gzip', error) : error;
  }
}

async function* unzstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  let [total, burst] = [0, 0];
  const decoder = new Decompress((data) => {
    total += data.length;
    burst += data.length;
    if (burst > MAX_BURST_BYTES || total > LIMITS.maxBytes) {
      throw new ArchiveError('refused', 'it unfolds without end, as a compression bomb does');
    }
    // The decoder reuses its buffers.
    if (data.length > 0) ready.push(data.slice());
  });
  const push = (chunk: Uint8Array, final: boolean) => {
    try {
      decoder.push(chunk, final);
    } catch (error) {
      throw broken('zstd', error);
    }
  };
  for await (const chunk of chunks) {
    push(chunk, false);
    yield* ready.splice(0);
    burst = 0;
  }
  push(new Uint8Array(0), true);
  yield* ready.splice(0);
}

function broken(kind: string, cause: unknown): AtollError {
  const isBomb = cause instanceof ArchiveError && cause.kind === 'refused';
  const found = isBomb ? messageOf(cause) : `its ${kind} stream is broken (${messageOf(cause)})`;
  return new AtollError('LAYER_INVALID', `Cannot unpack a layer: ${found}`, { cause });
}
