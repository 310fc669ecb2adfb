import { createGunzip } from 'node:zlib';
import { messageOf } from '../core/errors.ts';
import { asBuffer } from './byte-reader.ts';
import { type ArchiveLimits, refuseArchive } from './limits.ts';

const OUTPUT_CHUNK = 256 * 1024;
const INPUT_PIECE = 16 * 1024;

export interface GunzipOptions {
  readonly name: string;
  readonly limits: ArchiveLimits;
  /** Told once when the input ends early or is damaged; what came before has been yielded. */
  readonly onDamage: (found: string) => void;
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Decompresses as a stream. Damaged or cut-off input yields all that can be had and is reported;
 * input that unfolds beyond the limits is refused.
 */
export async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  options: GunzipOptions,
): AsyncGenerator<Buffer> {
  const inflater = createInflater();
  const meter = createMeter(options);
  try {
    for await (const chunk of chunks) {
      for (const piece of pieces(asBuffer(chunk))) {
        meter.input(piece.length);
        for (const data of await inflater.write(piece)) {
          meter.output(data.length);
          yield data;
        }
      }
      if (inflater.failure()) break;
    }
    for (const data of await inflater.end()) {
      meter.output(data.length);
      yield data;
    }
    const failure = inflater.failure();
    if (failure) options.onDamage(damageOf(failure));
  } finally {
    inflater.close();
  }
}

interface Inflater {
  write(piece: Buffer): Promise<Buffer[]>;
  end(): Promise<Buffer[]>;
  failure(): Error | undefined;
  close(): void;
}

/** The stream's own async iterator drops what is buffered when an error comes; this keeps it. */
function createInflater(): Inflater {
  const stream = createGunzip({ chunkSize: OUTPUT_CHUNK });
  const ready: Buffer[] = [];
  let failure: Error | undefined;
  let wake = () => {};
  stream.on('data', (data: Buffer) => ready.push(data));
  stream.on('end', () => wake());
  stream.on('error', (error) => {
    failure = error;
    wake();
  });

  const after = async (start: (done: () => void) => void): Promise<Buffer[]> => {
    if (!failure) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        start(resolve);
      });
    }
    return ready.splice(0);
  };
  return {
    write: (piece) => after((done) => stream.write(piece, () => done())),
    end: () => after(() => stream.end()),
    failure: () => failure,
    close: () => stream.destroy(),
  };
}

/** Small ones, so that a bomb is noticed before one chunk of it has unfolded in memory. */
function* pieces(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += INPUT_PIECE) yield chunk.subarray(at, at + INPUT_PIECE);
}

function damageOf(failure: unknown): string {
  const text = messageOf(failure);
  return text.includes('unexpected end') ? 'it ends early' : `it is damaged (${text})`;
}

interface Meter {
  input(bytes: number): void;
  output(bytes: number): void;
}

/** Stops a bomb by its total and by how much it unfolds. */
function createMeter({ name, limits }: GunzipOptions): Meter {
  let bytesIn = 0;
  let bytesOut = 0;
  return {
    input: (bytes) => {
      bytesIn += bytes;
    },
    output: (bytes) => {
      bytesOut += bytes;
      if (bytesOut > limits.maxBytes) {
        throw refuseArchive(name, `it unfolds to more than ${limits.maxBytes} bytes`);
      }
      if (bytesOut > limits.ratioFloorBytes && bytesOut > bytesIn * limits.maxRatio) {
        throw refuseArchive(name, `it unfolds more than ${limits.maxRatio} times`);
      }
    },
  };
}
