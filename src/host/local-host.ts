import { spawn } from 'node:child_process';
import { createReadStream, watch } from 'node:fs';
import { open } from 'node:fs/promises';
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
  const limits = options.timeoutMs === undefined ? [] : [AbortSignal.timeout(options.timeoutMs)];
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    signal: AbortSignal.any([ctx.signal, ...limits]),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const stdout = collect(child.stdout, (line) => options.onLine?.(line, 'stdout'));
  const stderr = collect(child.stderr, (line) => options.onLine?.(line, 'stderr'));
  // A program that does not read its input closes the pipe; its status tells the story.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input ?? '');
  const status = await new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(notRun(ctx, program, error, options)));
    child.once('close', (code) => resolve(code ?? 128));
  });
  return { status, stdout: await stdout, stderr: await stderr };
}

async function collect(
  stream: AsyncIterable<Buffer>,
  onLine: (line: string) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let told = 0;
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n', told); end >= 0; end = text.indexOf('\n', told)) {
      onLine(text.slice(told, end));
      told = end + 1;
    }
  }
  if (told < text.length) onLine(text.slice(told));
  return text;
}

function notRun(ctx: Context, program: string, cause: Error, options: RunOptions): unknown {
  if (ctx.signal.aborted) return ctx.signal.reason;
  if (cause.name === 'AbortError') {
    return new AtollError(
      'TIMED_OUT',
      `"${program}" took longer than ${(options.timeoutMs ?? 0) / 1000} s`,
      { cause },
    );
  }
  if (systemCodeOf(cause) === 'ENOENT') {
    return new AtollError('PROGRAM_MISSING', `Cannot run "${program}": it is not installed here`, {
      hint: 'Put it there, or on the PATH, and run the same command again',
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
