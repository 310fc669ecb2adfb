import { createGunzip } from 'node:zlib';
import { messageOf, systemCodeOf } from '../errors.ts';
import { ArchiveError } from './archive-error.ts';
import { asBuffer } from './byte-source.ts';

const OUTPUT_CHUNK = 64 * 1024;
/** Small, so that a bomb is noticed before much of it has unfolded in memory. */
const INPUT_PIECE = 32 * 1024;

export interface GunzipLimits {
  /** Bytes after decompression. */
  readonly maxBytes: number;
  /** Output per byte of input; only asked once `ratioFloorBytes` have come out. */
  readonly maxRatio: number;
  readonly ratioFloorBytes: number;
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses all members as one stream. Zeros behind the last are read and forgotten; anything else
 * there is damage. Damaged or cut-off input yields what can be had before the `ArchiveError`.
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  limits?: GunzipLimits,
): AsyncGenerator<Buffer> {
  const inflater = createInflater();
  const meter = createMeter(limits);
  try {
    for await (const chunk of chunks) {
      for (const piece of pieces(asBuffer(chunk))) {
        meter.input(piece.length);
        yield* meter.output(await inflater.write(piece));
      }
      if (inflater.failure()) break;
    }
    yield* meter.output(await inflater.end());
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
  return isCut
    ? new ArchiveError('cut', 'it ends early')
    : new ArchiveError('damaged', `it is damaged (${messageOf(error)})`);
}

function* pieces(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += INPUT_PIECE) yield chunk.subarray(at, at + INPUT_PIECE);
}

/** Stops a bomb by its total and by how much it unfolds. */
function createMeter(limits: GunzipLimits | undefined) {
  let bytesIn = 0;
  let bytesOut = 0;
  const refuse = (found: string) => {
    throw new ArchiveError('refused', found);
  };
  return {
    input: (bytes: number) => {
      bytesIn += bytes;
    },
    *output(datas: readonly Buffer[]): Generator<Buffer> {
      for (const data of datas) {
        bytesOut += data.length;
        if (limits && bytesOut > limits.maxBytes)
          refuse(`it unfolds to more than ${limits.maxBytes} bytes, as a compression bomb does`);
        if (limits && bytesOut > limits.ratioFloorBytes && bytesOut > bytesIn * limits.maxRatio)
          refuse(`it unfolds more than ${limits.maxRatio} times, as a compression bomb does`);
        yield data;
      }
    },
  };
}
