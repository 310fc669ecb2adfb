import { createReadStream } from 'node:fs';
import type { Context } from '../../../core/context.ts';

/** A file from `offset` to `end`, in large pieces. */
export async function* readFileFrom(
  ctx: Context,
  path: string,
  offset: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  if (offset >= end) return;
  const options = { start: offset, end: end - 1, highWaterMark: 1024 * 1024, signal: ctx.signal };
  for await (const chunk of createReadStream(path, options)) yield chunk as Buffer;
}
