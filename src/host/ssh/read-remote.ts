import { createHash, type Hash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { ChunkSink } from '../../core/chunk-sink.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, isTransient } from '../../core/errors.ts';
import { onAbort } from '../../core/on-abort.ts';
import { attemptFailed, DEFAULT_RETRY, sleep } from '../../core/retry.ts';
import type { SshConnection } from './connection.ts';
import { disconnected } from './explain.ts';
import { runRemote } from './run-remote.ts';

/** How many bytes there are, and what comes after the first so many. */
const READ = 'exec tail -c "+$(($2 + 1))" -- "$1"';
const SUM = 'head -c "$2" -- "$1" | sha256sum';
/** Ends when its input does: a connection that is gone leaves nothing behind that waits. */
const FOLLOW = `tail -c "+$(($2 + 1))" -F -- "$1" 2>/dev/null &
child=$!; cat > /dev/null; kill "$child"`;

interface Remote {
  readonly connection: SshConnection;
  readonly path: string;
}

/** The bytes of a file there. A cut line is taken up where it was cut; at the end sums are compared. */
export async function* getRemote(ctx: Context, remote: Remote): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const read = { bytes: 0 };
  await requireReadable(ctx, remote);
  for await (const chunk of resumed(ctx, remote, read, (offset) => once(ctx, remote, offset))) {
    hash.update(chunk);
    read.bytes += chunk.length;
    yield chunk;
  }
  await compare(ctx, remote, read.bytes, hash);
}

/** Starts again after a lost connection, from what has been read, as long as it gets further. */
async function* resumed<T>(
  ctx: Context,
  { connection, path }: Remote,
  read: { readonly bytes: number },
  open: (offset: number) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const { attempts, firstDelayMs } = DEFAULT_RETRY;
  let before = -1;
  for (let attempt = 1; ; attempt += 1) {
    try {
      yield* open(read.bytes);
      return;
    } catch (error) {
      if (read.bytes > before) attempt = 1;
      before = read.bytes;
      if (!isTransient(error) || ctx.signal.aborted || attempt >= attempts) throw error;
      const operation = `Reading ${path} on ${connection.name}`;
      attemptFailed(ctx, { operation, attempt, attempts, delayMs: firstDelayMs }, error);
      await sleep(ctx, firstDelayMs);
    }
  }
}

async function requireReadable(ctx: Context, { connection, path }: Remote): Promise<void> {
  const { status } = await runRemote(ctx, connection, {
    program: 'test',
    args: ['-r', path, '-a', '-f', path],
    root: [],
  });
  if (status === 0) return;
  throw new AtollError(
    'FILE_UNREADABLE',
    `Cannot read "${path}" on ${connection.name}: there is nothing, or it may not be read`,
    { hint: 'Check the name, and the rights of the user who logs in', details: { path } },
  );
}

async function* once(ctx: Context, remote: Remote, offset: number): AsyncGenerator<Uint8Array> {
  const { connection, path } = remote;
  yield* piped(ctx, async (own, onChunk) => {
    const { status, stderr } = await runRemote(own, connection, {
      program: 'sh',
      args: ['-c', READ, 'get', path, String(offset)],
      root: [],
      onChunk,
      discard: true,
    });
    if (status === 0) return;
    throw new AtollError('FILE_UNREADABLE', `Cannot read "${path}": ${stderr.trim()}`);
  });
}

/** What a program prints, as a stream; the program is ended when the caller stops reading. */
async function* piped(
  ctx: Context,
  start: (ctx: Context, onChunk: ChunkSink) => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  const pipe = new PassThrough();
  const left = new AbortController();
  const own = { ...ctx, signal: AbortSignal.any([ctx.signal, left.signal]) };
  const take = (chunk: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      // A stream that nobody reads any more does not always answer.
      if (left.signal.aborted) return resolve();
      const stopWaiting = onAbort(left.signal, resolve);
      pipe.write(Buffer.from(chunk), (error) => {
        stopWaiting();
        if (error) reject(error);
        else resolve();
      });
    });
  const done = start(own, take).then(
    () => pipe.end(),
    (error) => pipe.destroy(error),
  );
  try {
    yield* pipe;
  } finally {
    left.abort();
    await done;
  }
}

async function compare(
  ctx: Context,
  { connection, path }: Remote,
  bytes: number,
  hash: Hash,
): Promise<void> {
  const { stdout } = await runRemote(ctx, connection, {
    program: 'sh',
    args: ['-c', SUM, 'sum', path, String(bytes)],
    root: [],
  });
  if (stdout.startsWith(hash.digest('hex'))) return;
  throw new AtollError(
    'CONTENT_MISMATCH',
    `Cannot accept "${path}" of ${connection.name}: found other bytes than are there`,
    { hint: 'Fetch it again; the file may have changed meanwhile', details: { path } },
  );
}

/** Lines of a file there, also after the connection was lost for a while. */
export async function* followRemote(ctx: Context, remote: Remote): AsyncGenerator<string> {
  const read = { bytes: 0 };
  const open = (offset: number) => lines(ctx, remote, offset, read);
  try {
    yield* resumed(ctx, remote, read, open);
  } catch (error) {
    if (!ctx.signal.aborted) throw error;
  }
}

async function* lines(
  ctx: Context,
  { connection, path }: Remote,
  offset: number,
  read: { bytes: number },
): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  const run = (own: Context, onChunk: ChunkSink) =>
    runRemote(own, connection, {
      program: 'sh',
      args: ['-c', FOLLOW, 'follow', path, String(offset)],
      root: [],
      input: held(own.signal),
      onChunk,
      discard: true,
    });
  for await (const chunk of piped(ctx, run)) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      const line = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      read.bytes += end + 1;
      yield line;
    }
  }
  // It ends by itself only when its input, which is ours to close, was closed by a cut.
  throw disconnected(connection.name, `"${path}" was read`);
}

/** An input that says nothing until we leave. */
async function* held(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
