import { collect } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { readRange } from '../bundle/chunk-files.ts';
import { candidatesFor, type Recompression, UNCOMPRESSED } from './methods.ts';
import { openRecompressor } from './recompressor.ts';

/** One block of pgzip and a part of the next. */
const SAMPLE_BYTES = 1280 * 1024;

/**
 * What may have compressed the layer, the likeliest first: its first bytes are what each of these makes of the
 * beginning of the tar. Only rebuilding all of it shows which one it was, so the search goes on when asked.
 */
export async function* findMethods(
  ctx: Context,
  layer: string,
  tar: string,
  header: Uint8Array | undefined,
): AsyncGenerator<Recompression> {
  if (!header) return;
  if (header.length === 0) return yield UNCOMPRESSED;
  const sample = await collect(readRange(ctx, tar, 0, SAMPLE_BYTES));
  const body = await collect(
    readRange(ctx, layer, header.length, header.length + SAMPLE_BYTES + 4096),
  );
  for (const method of candidatesFor(header)) {
    // A turn for everything else between two of them.
    await new Promise((resolve) => setImmediate(resolve));
    ctx.signal.throwIfAborted();
    if (isLike(method, sample, body)) yield method;
  }
}

/** The end of the sample is compressed as an end; before it the bytes have to agree. */
function isLike(method: Recompression, sample: Uint8Array, body: Uint8Array): boolean {
  const program = openRecompressor(method);
  const parts = [Buffer.from(program.write(sample)), Buffer.from(program.finish())];
  const made = Buffer.concat(parts).subarray(10);
  const least = Math.min(made.length >> 1, body.length);
  return made.subarray(0, least).equals(body.subarray(0, least));
}
