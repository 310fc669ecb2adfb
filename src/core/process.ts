import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { ChunkSink } from './chunk-sink.ts';
import type { Context } from './context.ts';
import { AtollError, type AtollErrorOptions, messageOf, systemCodeOf } from './errors.ts';
import { formatBytes } from './format.ts';

/** How long a program that is stopped may take to leave. */
const GRACE_MS = 10_000;
/** How long its output may come after its end. */
const DRAIN_MS = 1000;
const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;
/** A longer line is told in pieces. */
const LONGEST_LINE = 1024 ** 2;

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProgramOptions {
  readonly cwd?: string | undefined;
  /** Added to our environment. */
  readonly env?: Environment | undefined;
  /** All that it sees, in place of ours. */
  readonly environment?: Environment | undefined;
  /** Standard input: the place for secrets, which never go into arguments. */
  readonly input?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Standard input stays open after `input`: a program that reads it learns how long we live. */
  readonly holdInput?: boolean | undefined;
  /** Called for each line of both streams as it comes. When it fails, the program is killed. */
  readonly onLine?: ((line: string, stream: 'stdout' | 'stderr') => void) | undefined;
  /** Takes standard output as it comes; the program waits while the sink does. */
  readonly onChunk?: ChunkSink | undefined;
  /** Nothing is kept of what it prints: for long logs, with `onLine`. */
  readonly discard?: boolean | undefined;
  /** More than this on one stream kills the program, unless it is discarded. */
  readonly maxOutputBytes?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** Asks it to leave; SIGKILL follows after the grace period. */
  readonly stopSignal?: NodeJS.Signals | undefined;
  readonly graceMs?: number | undefined;
  /** It leads a process group: signals go to all of it, and what it left running ends with it. */
  readonly group?: boolean | undefined;
  /** Called once it runs. When it fails, the program is killed. */
  readonly onStart?: ((pid: number) => Promise<void>) | undefined;
  /** Aborted when it has said its last word: what still keeps it alive is not waited for. */
  readonly over?: AbortSignal | undefined;
  /** What to do when it cannot be started. */
  readonly hint?: string | undefined;
}

export interface ProgramResult {
  /** As a shell tells it: 128 and the number of the signal when one ended it. */
  readonly status: number;
  readonly signal?: NodeJS.Signals | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program, not a shell line, until it is gone. Any status is a result; not being able to start,
 * taking too long and being stopped are errors, which come after its end.
 */
export async function runProgram(
  ctx: Pick<Context, 'signal'>,
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramResult> {
  ctx.signal.throwIfAborted();
  const { timeoutMs } = options;
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const broken = new AbortController();
  const child = start(program, args, options);
  feed(child, options, broken);
  const stdout = collect(child, 'stdout', options, broken);
  const stderr = collect(child, 'stderr', options, broken);
  const handedOn = handOn(child, options, broken);
  const [{ status, signal }] = await Promise.all([
    untilEnd(child, program, options, {
      leave: limit ? AbortSignal.any([ctx.signal, limit]) : ctx.signal,
      broken: broken.signal,
    }),
    child.pid === undefined
      ? undefined
      : options.onStart?.(child.pid).catch((error) => broken.abort(error)),
  ]);
  await handedOn();
  broken.signal.throwIfAborted();
  ctx.signal.throwIfAborted();
  if (limit?.aborted) throw tookTooLong(program, timeoutMs);
  return { status, signal, stdout: stdout(), stderr: stderr() };
}

function start(
  program: string,
  args: readonly string[],
  { cwd, env, environment, group = false }: ProgramOptions,
): ChildProcessWithoutNullStreams {
  return spawn(program, args, {
    cwd,
    env: environment ? { ...environment } : { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: group,
  });
}

function feed(
  { stdin }: ChildProcessWithoutNullStreams,
  { input = '', holdInput }: ProgramOptions,
  broken: AbortController,
): void {
  // A program that does not read its input closes the pipe; its status tells the story.
  stdin.on('error', () => undefined);
  if (typeof input === 'string' || input instanceof Uint8Array) {
    stdin.write(input);
    if (!holdInput) stdin.end();
  } else pour(input, stdin).catch((error) => broken.abort(error));
}

async function pour(chunks: AsyncIterable<Uint8Array>, stdin: Writable): Promise<void> {
  const closed = once(stdin, 'close').catch(() => undefined);
  for await (const chunk of chunks) {
    if (stdin.destroyed) return;
    if (!stdin.write(chunk)) await Promise.race([once(stdin, 'drain').catch(() => 0), closed]);
  }
  stdin.end();
}

/** Takes what comes on one stream until something about it fails; the result gives what was kept. */
function collect(
  child: ChildProcessWithoutNullStreams,
  name: 'stdout' | 'stderr',
  { onLine, discard, maxOutputBytes = MAX_OUTPUT_BYTES }: ProgramOptions,
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
    if (!discard && sizeBytes > maxOutputBytes) throw tooMuch(child.spawnfile, maxOutputBytes);
    if (!discard) chunks.push(chunk);
    lines?.add(chunk);
  };
  child[name].on('data', (chunk: Buffer) => guarded(() => take(chunk)));
  child[name].once('close', () => guarded(() => lines?.end()));
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
function handOn(
  { stdout }: ChildProcessWithoutNullStreams,
  { onChunk }: ProgramOptions,
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

type Ended = Pick<ProgramResult, 'status' | 'signal'>;

/** How it ended, once it is gone. When stopped it is asked to leave, and then made to. */
async function untilEnd(
  child: ChildProcessWithoutNullStreams,
  program: string,
  options: ProgramOptions,
  stop: { readonly leave: AbortSignal; readonly broken: AbortSignal },
): Promise<Ended> {
  const { stopSignal = 'SIGTERM', graceMs = GRACE_MS } = options;
  const timers: NodeJS.Timeout[] = [];
  const kill = (signal: NodeJS.Signals) => sendSignal(child, signal, options.group);
  const leave = () => {
    kill(stopSignal);
    timers.push(setTimeout(() => kill('SIGKILL'), graceMs));
  };
  const insist = () => kill('SIGKILL');
  stop.leave.addEventListener('abort', leave, { once: true });
  stop.broken.addEventListener('abort', insist, { once: true });
  const letGo = () => timers.push(setTimeout(() => kill('SIGTERM'), DRAIN_MS));
  options.over?.addEventListener('abort', letGo, { once: true });
  // What it left running may hold the pipes for ever; it is not what was asked for.
  const drop = () => {
    child.stdout.destroy();
    child.stderr.destroy();
  };
  child.once('exit', () => {
    if (options.group) kill('SIGKILL');
    if (!options.onChunk) timers.push(setTimeout(drop, DRAIN_MS));
  });
  try {
    return await new Promise<Ended>((resolve, reject) => {
      child.once('error', (error) => reject(notRun(program, options, error)));
      child.once('close', (code, signal) =>
        resolve({ status: statusOf(code, signal), signal: signal ?? undefined }),
      );
    });
  } finally {
    stop.leave.removeEventListener('abort', leave);
    stop.broken.removeEventListener('abort', insist);
    options.over?.removeEventListener('abort', letGo);
    for (const timer of timers) clearTimeout(timer);
  }
}

function statusOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

function sendSignal(child: ChildProcess, signal: NodeJS.Signals, group = false): void {
  if (child.pid === undefined) return;
  if (group) signalGroup(child.pid, signal);
  else if (child.exitCode === null && child.signalCode === null) signalQuietly(child.pid, signal);
}

/** Signals the group that a process leads; one that is gone is none. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  signalQuietly(-pid, signal);
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, or another user's by now: its end is waited for all the same.
  }
}

function tooMuch(program: string, maxBytes: number): AtollError {
  return new AtollError(
    'PROGRAM_FAILED',
    `Cannot keep what "${program}" prints: it is more than ${formatBytes(maxBytes)}`,
  );
}

export function tookTooLong(program: string, timeoutMs = 0): AtollError {
  return new AtollError('TIMED_OUT', `"${program}" took longer than ${timeoutMs / 1000} s`);
}

function notRun(program: string, { cwd, hint }: ProgramOptions, cause: Error): AtollError {
  const attempt = `Cannot run "${program}"`;
  if (systemCodeOf(cause) !== 'ENOENT')
    return new AtollError('PROGRAM_FAILED', `${attempt}: ${messageOf(cause)}`, { hint, cause });
  // The system says the same of both.
  if (cwd !== undefined && !existsSync(cwd)) return noFolder(program, cwd, cause);
  return notInstalled(program, 'here', { hint, cause });
}

export function noFolder(program: string, cwd: string, cause?: Error): AtollError {
  const found = `there is no folder "${cwd}"`;
  return new AtollError('PROGRAM_FAILED', `Cannot run "${program}": ${found}`, { cause });
}

export function notInstalled(
  program: string,
  where: string,
  options: AtollErrorOptions = {},
): AtollError {
  const found = `it is not installed ${where}`;
  return new AtollError('PROGRAM_MISSING', `Cannot run "${program}": ${found}`, options);
}
