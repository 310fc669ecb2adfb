import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { ChunkSink } from './chunk-sink.ts';
import { tooMuch } from './program-failures.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;
/** A longer line is told in pieces. */
const LONGEST_LINE = 1024 ** 2;

/** What becomes of what a program prints. */
export interface OutputOptions {
  /** Called for each line of both streams as it comes. When it fails, the program is killed. */
  readonly onLine?: ((line: string, stream: 'stdout' | 'stderr') => void) | undefined;
  /** Takes standard output as it comes; the program waits while the sink does. */
  readonly onChunk?: ChunkSink | undefined;
  /** Nothing is kept of what it prints: for long logs, with `onLine`. */
  readonly discard?: boolean | undefined;
  /** More than this on one stream kills the program, unless it is discarded. */
  readonly maxOutputBytes?: number | undefined;
}

interface OutputSource {
  readonly program: string;
  readonly name: 'stdout' | 'stderr';
  readonly stream: Readable;
}

/** Takes what comes on one stream until something about it fails; the result gives what was kept. */
export function collectOutput(
  { program, name, stream }: OutputSource,
  { onLine, discard, maxOutputBytes = MAX_OUTPUT_BYTES }: OutputOptions,
  broken: AbortController,
): () => string {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const lines = onLine && lineSplitter((line) => onLine(line, name));
  const guarded = (work: () => void) => {
    if (broken.signal.aborted) return;
    try {
      work();
    } catch (error) {
      broken.abort(error);
    }
  };
  const take = (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (!discard && sizeBytes > maxOutputBytes) throw tooMuch(program, maxOutputBytes);
    if (!discard) chunks.push(chunk);
    lines?.add(chunk);
  };
  stream.on('data', (chunk: Buffer) => guarded(() => take(chunk)));
  stream.once('close', () => guarded(() => lines?.end()));
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Tells the lines of a text that comes in pieces, also when a letter is cut in the middle. */
function lineSplitter(tell: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    add(chunk: Buffer): void {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) tell(line.replace(/\r$/, ''));
      if (rest.length < LONGEST_LINE) return;
      tell(rest);
      rest = '';
    },
    end(): void {
      rest += decoder.end();
      if (rest !== '') tell(rest);
    },
  };
}

/** Hands on standard output, one piece after the other; the result waits until all is taken. */
export function handOnOutput(
  stdout: Readable,
  { onChunk }: OutputOptions,
  broken: AbortController,
): () => Promise<void> {
  let taken = Promise.resolve();
  let waiting = 0;
  const take = async (chunk: Buffer) => {
    try {
      if (!broken.signal.aborted) await onChunk?.(chunk);
    } finally {
      // Also when it fails: the program has not ended before its output has.
      waiting -= 1;
      if (waiting === 0) stdout.resume();
    }
  };
  if (onChunk)
    stdout.on('data', (chunk: Buffer) => {
      waiting += 1;
      stdout.pause();
      // At its end a program's output is let flow, paused or not: the order is ours to keep.
      taken = taken.then(() => take(chunk)).catch((error) => broken.abort(error));
    });
  return () => taken;
}
