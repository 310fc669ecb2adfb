import { setImmediate as turn } from 'node:timers/promises';
import { Decompress } from 'fzstd';
import { messageOf } from '../errors.ts';
import { ArchiveError } from './archive-error.ts';
import { asBuffer } from './byte-source.ts';
import { createUnfoldMeter, type UnfoldLimits } from './unfold-meter.ts';

const MAGIC = 0xfd2fb528;
/** Frames a reader steps over: 0x184D2A50 to 0x184D2A5F. */
const SKIPPABLE_MAGIC = 0x184d2a5;
/** What a piece unfolds to is in memory at once: four bytes may stand for 128 KiB. */
const INPUT_PIECE = 4 * 1024;

export function isZstd(head: Uint8Array): boolean {
  if (head.length < 4) return false;
  const magic = Buffer.from(head.subarray(0, 4)).readUInt32LE();
  return magic === MAGIC || magic >>> 4 === SKIPPABLE_MAGIC;
}

/** Decompresses all frames as one stream. What is wrong with it is an `ArchiveError`, after what came before. */
export async function* unzstd(
  chunks: AsyncIterable<Uint8Array>,
  limits?: UnfoldLimits,
): AsyncGenerator<Buffer> {
  const meter = createUnfoldMeter(limits);
  const ready: Buffer[] = [];
  const decoder = new Decompress((data) => {
    meter.output(data.length);
    // The decoder reuses its buffers.
    if (data.length > 0) ready.push(Buffer.from(data));
  });
  const push = (piece: Uint8Array, isLast: boolean) => {
    meter.input(piece.length);
    try {
      decoder.push(piece, isLast);
    } catch (error) {
      throw damageOf(error, isLast);
    }
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += INPUT_PIECE) {
      push(asBuffer(chunk).subarray(at, at + INPUT_PIECE), false);
      yield* ready.splice(0);
    }
    await turn();
  }
  push(new Uint8Array(0), true);
  yield* ready.splice(0);
}

function damageOf(error: unknown, isLast: boolean): ArchiveError {
  if (error instanceof ArchiveError) return error;
  return isLast
    ? new ArchiveError('cut', 'it ends early')
    : new ArchiveError('damaged', `it is damaged (${messageOf(error)})`);
}
