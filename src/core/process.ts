import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import type { Context } from './context.ts';
import { notRun, tookTooLong } from './program-failures.ts';
import { collectOutput, handOnOutput, type OutputOptions } from './program-output.ts';

/** How long a program that is stopped may take to leave. */
const GRACE_MS = 10_000;
/** How long its output may come after its end. */
const DRAIN_MS = 1000;

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProgramOptions extends OutputOptions {
  readonly cwd?: string | undefined;
  /** Added to our environment. */
  readonly env?: Environment | undefined;
  /** All that it sees, in place of ours. */
  readonly environment?: Environment | undefined;
  /** Standard input: the place for secrets, which never go into arguments. */
  readonly input?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Standard input stays open after `input`: a program that reads it learns how long we live. */
  readonly holdInput?: boolean | undefined;
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
  // A pipe may break when its program is killed: that is no fault of ours, and its status tells the story.
  for (const output of [child.stdout, child.stderr]) output.on('error', () => undefined);
  feed(child, options, broken);
  const stdout = collectOutput({ program, name: 'stdout', stream: child.stdout }, options, broken);
  const stderr = collectOutput({ program, name: 'stderr', stream: child.stderr }, options, broken);
  const handedOn = handOnOutput(child.stdout, options, broken);
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
