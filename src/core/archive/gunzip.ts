import { createGunzip } from 'node:zlib';
import { messageOf, systemCodeOf } from '../errors.ts';
import { type ArchiveError, cut, damaged } from './archive-error.ts';
import { asBuffer } from './byte-source.ts';
import { createUnfoldMeter, type UnfoldLimits, type UnfoldMeter } from './unfold-meter.ts';

const OUTPUT_CHUNK = 64 * 1024;
/** Small, so that a bomb is noticed before much of it has unfolded in memory. */
const INPUT_PIECE = 32 * 1024;

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses all members as one stream. Zeros behind the last are read and forgotten; anything else
 * there is damage. Damaged or cut-off input yields what can be had before the `ArchiveError`.
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  limits?: UnfoldLimits,
): AsyncGenerator<Buffer> {
  const inflater = createInflater();
  const meter = createUnfoldMeter(limits);
  try {
    for await (const chunk of chunks) {
      for (const piece of pieces(asBuffer(chunk))) {
        meter.input(piece.length);
        yield* metered(meter, await inflater.write(piece));
      }
      if (inflater.failure()) break;
    }
    yield* metered(meter, await inflater.end());
    const failure = inflater.failure();
    if (failure) throw failure;
  } finally {
    inflater.close();
  }
}

interface Inflater {
  write(piece: Buffer): Promise<readonly Buffer[]>;
  end(): Promise<readonly Buffer[]>;
  failure(): ArchiveError | undefined;
  close(): void;
}

/** The stream's own async iterator drops what is buffered when an error comes; this keeps it. */
function createInflater(): Inflater {
  const stream = createGunzip({ chunkSize: OUTPUT_CHUNK });
  let ready: Buffer[] = [];
  let isOver = false;
  let failure: ArchiveError | undefined;
  let wake = () => {};
  const over = () => {
    isOver = true;
    wake();
  };
  stream.on('data', (data: Buffer) => ready.push(data));
  stream.on('end', over);
  stream.on('error', (error) => {
    failure = damageOf(error);
    over();
  });

  const after = async (start: (done: () => void) => void): Promise<readonly Buffer[]> => {
    if (!isOver) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        start(resolve);
      });
    }
    const taken = ready;
    ready = [];
    return taken;
  };
  return {
    write: (piece) => after((done) => stream.write(piece, () => done())),
    end: () => after(() => stream.end()),
    failure: () => failure,
    close: () => stream.destroy(),
  };
}

function damageOf(error: Error): ArchiveError {
  const isCut = systemCodeOf(error) === 'Z_BUF_ERROR';
  return isCut ? cut() : damaged(messageOf(error));
}

function* pieces(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += INPUT_PIECE) yield chunk.subarray(at, at + INPUT_PIECE);
}

function* metered(meter: UnfoldMeter, parts: readonly Buffer[]): Generator<Buffer> {
  for (const part of parts) {
    meter.output(part.length);
    yield part;
  }
}
