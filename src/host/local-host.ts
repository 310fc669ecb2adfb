import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createReadStream, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Context } from '../core/context.ts';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import {
  SECRET_DIRECTORY_MODE,
  unreadable,
  type WriteOptions,
  writeFileAtomic,
} from '../core/files.ts';
import { sleep } from '../core/retry.ts';
import type { Host, RunOptions, RunResult } from './host.ts';

const FOLLOW_INTERVAL_MS = 500;
/** How long a program that is stopped may take to leave. */
const LEAVE_MS = 10_000;
/** How long its output may come after its end. */
const DRAIN_MS = 1000;

/** This machine as a `Host`. */
export function localHost(): Host {
  return {
    name: 'this machine',
    run: (ctx, program, args, options) => runHere(ctx, program, args, options ?? {}),
    put: (_ctx, path, content, options) => writeFileAtomic(path, content, modesOf(options?.mode)),
    get: (ctx, path) => readHere(ctx, path),
    follow: (ctx, path) => followHere(ctx, path),
  };
}

/** What others may not read is not in a folder they may look into, either. */
function modesOf(mode: number | undefined): WriteOptions {
  if (mode === undefined) return {};
  return (mode & 0o077) === 0 ? { mode, directoryMode: SECRET_DIRECTORY_MODE } : { mode };
}

async function runHere(
  ctx: Context,
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  ctx.signal.throwIfAborted();
  const limit =
    options.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs);
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program that does not read its input closes the pipe; its status tells the story.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const stop = AbortSignal.any([ctx.signal, ...(limit ? [limit] : [])]);
  const [status, stdout, stderr] = await Promise.all([
    untilEnd(child, program, stop),
    collect(child, 'stdout', options.onLine),
    collect(child, 'stderr', options.onLine),
  ]);
  ctx.signal.throwIfAborted();
  if (limit?.aborted) throw tookTooLong(program, options);
  return { status, stdout, stderr };
}

/** Its status, once it is gone. When stopped it is asked to leave, and then made to. */
async function untilEnd(
  child: ChildProcessWithoutNullStreams,
  program: string,
  stop: AbortSignal,
): Promise<number> {
  const timers: NodeJS.Timeout[] = [];
  const leave = () => {
    child.kill('SIGTERM');
    timers.push(setTimeout(() => child.kill('SIGKILL'), LEAVE_MS));
  };
  stop.addEventListener('abort', leave, { once: true });
  // What it left running may hold the pipes for ever; it is not what was asked for.
  const drop = () => {
    child.stdout.destroy();
    child.stderr.destroy();
  };
  child.once('exit', () => timers.push(setTimeout(drop, DRAIN_MS)));
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(notRun(program, error)));
      child.once('close', (code) => resolve(code ?? 128));
    });
  } finally {
    stop.removeEventListener('abort', leave);
    for (const timer of timers) clearTimeout(timer);
  }
}

/** All that comes, line by line on the way. A line that cannot be told ends the program. */
async function collect(
  child: ChildProcessWithoutNullStreams,
  name: 'stdout' | 'stderr',
  onLine: RunOptions['onLine'],
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let told = 0;
  const tell = (end: number) => {
    onLine?.(text.slice(told, end), name);
    told = end + 1;
  };
  try {
    for await (const chunk of untilClosed(child[name])) {
      text += decoder.decode(chunk, { stream: true });
      for (let end = text.indexOf('\n', told); end >= 0; end = text.indexOf('\n', told)) tell(end);
    }
    text += decoder.decode();
    if (told < text.length) tell(text.length);
    return text;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** The chunks of a stream; that it was dropped is an end like any other. */
async function* untilClosed(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    if (systemCodeOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function tookTooLong(program: string, { timeoutMs = 0 }: RunOptions): AtollError {
  return new AtollError('TIMED_OUT', `"${program}" took longer than ${timeoutMs / 1000} s`);
}

function notRun(program: string, cause: Error): AtollError {
  if (systemCodeOf(cause) === 'ENOENT') {
    return new AtollError('PROGRAM_MISSING', `Cannot run "${program}": it is not installed here`, {
      cause,
    });
  }
  return new AtollError('PROGRAM_FAILED', `Cannot run "${program}"`, { cause });
}

async function* readHere(ctx: Context, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { signal: ctx.signal });
  } catch (cause) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    throw unreadable(path, cause);
  }
}

/** Reads what is there, then waits for more; a file that is not there yet is waited for. */
async function* followHere(ctx: Context, path: string): AsyncGenerator<string> {
  let offset = 0;
  let rest = '';
  while (!ctx.signal.aborted) {
    const text = await readFrom(path, offset);
    offset += Buffer.byteLength(text);
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (text === '') await changed(ctx, path);
  }
}

async function readFrom(path: string, offset: number): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(64 * 1024);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
      // Only whole lines' worth of bytes are safe to decode; a cut character waits for its rest.
      const newline = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
      const end = newline === 0 && bytesRead === buffer.length ? bytesRead : newline;
      return buffer.toString('utf8', 0, end);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Returns when the file may have grown. Watching is a hint only: some file systems tell nothing. */
async function changed(ctx: Context, path: string): Promise<void> {
  const stirred = new AbortController();
  const stop = AbortSignal.any([ctx.signal, stirred.signal]);
  let watcher: ReturnType<typeof watch> | undefined;
  try {
    watcher = watch(path, () => stirred.abort());
    watcher.on('error', () => stirred.abort());
  } catch {
    // Not there yet.
  }
  await sleep({ signal: stop }, FOLLOW_INTERVAL_MS).catch(() => undefined);
  watcher?.close();
}
