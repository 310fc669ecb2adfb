import { ArchiveError } from '../../core/archive/archive-error.ts';
import { gunzip, isGzip } from '../../core/archive/gunzip.ts';
import { isZstd, unzstd } from '../../core/archive/unzstd.ts';
import { AtollError, messageOf } from '../../core/errors.ts';

const LONGEST_MAGIC = 4;

/** No layer needs more; what unfolds for ever is stopped here. gzip cannot exceed this ratio, so it counts not. */
const LIMITS = { maxBytes: 256 * 1024 ** 3, maxRatio: 1100, ratioFloorBytes: 1024 ** 3 };
/** zstd can do better than gzip, on holes of zeros above all. */
const ZSTD_LIMITS = { ...LIMITS, maxRatio: 10_000, ratioFloorBytes: 512 * 1024 ** 2 };

export type Compression = 'gzip' | 'zstd' | 'none';

/** What the first bytes of a stream say; media types in the wild are not to be trusted here. */
export function compressionOf(head: Uint8Array): Compression {
  if (isGzip(head)) return 'gzip';
  return isZstd(head) ? 'zstd' : 'none';
}

/** The bytes without their compression, whichever it is. */
export async function* decompressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const head = await readHead(iterator);
    const whole = prepended(head, iterator);
    const kind = compressionOf(head);
    if (kind === 'gzip') yield* unpacked('gzip', gunzip(whole, LIMITS));
    else if (kind === 'zstd') yield* unpacked('zstd', unzstd(whole, ZSTD_LIMITS));
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

async function* unpacked(
  kind: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw error instanceof ArchiveError ? broken(kind, error) : error;
  }
}

function broken(kind: string, cause: unknown): AtollError {
  const isBomb = cause instanceof ArchiveError && cause.kind === 'refused';
  const found = isBomb ? messageOf(cause) : `its ${kind} stream is broken (${messageOf(cause)})`;
  return new AtollError('LAYER_INVALID', `Cannot unpack a layer: ${found}`, { cause });
}
