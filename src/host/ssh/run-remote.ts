import { randomBytes } from 'node:crypto';
import type { Context } from '../../core/context.ts';
import { shellLine } from '../../core/format.ts';
import { onAbort } from '../../core/on-abort.ts';
import type { ProgramOptions } from '../../core/process.ts';
import { noFolder, notInstalled, tookTooLong } from '../../core/program-failures.ts';
import type { HostRunOptions, RunResult } from '../host.ts';
import type { SshConnection } from './connection.ts';
import { disconnected, explain } from './explain.ts';
import { RemoteWords, remoteCommand } from './remote-command.ts';

/** How long a program that is stopped may take to leave. */
const GRACE_SECONDS = 10;
const END = `kill -TERM "$1"; left=${GRACE_SECONDS * 10}
while kill -0 "$1" && [ "$left" -gt 0 ]; do sleep 0.1; left=$((left - 1)); done
kill -KILL "$1"`;

export interface RemoteRun extends Omit<HostRunOptions, 'sudo'> {
  readonly program: string;
  readonly args: readonly string[];
  /** What makes it root: `sudo -n --`, or nothing. */
  readonly root: readonly string[];
  readonly onChunk?: ProgramOptions['onChunk'];
}

/** Runs a program there as `runProgram` does here: what was stopped is gone when this is over. */
export async function runRemote(
  ctx: Context,
  connection: SshConnection,
  run: RemoteRun,
): Promise<RunResult> {
  ctx.signal.throwIfAborted();
  const mark = `@atoll-${randomBytes(6).toString('hex')}`;
  const words = new RemoteWords(mark);
  const limit = run.timeoutMs === undefined ? undefined : AbortSignal.timeout(run.timeoutMs);
  const leave = limit ? AbortSignal.any([ctx.signal, limit]) : ctx.signal;
  const cut = new AbortController();
  const end = () => endRemote(ctx, connection, run, words).finally(() => cut.abort());
  const stopWaiting = onAbort(leave, () => void end());
  const { name } = connection;
  try {
    const line = remoteCommand({ ...run, mark });
    const ran = connection.exec(ctx, cut.signal, line, programOptions(run, words));
    // A line that could not be told, or input that failed: without us it must not go on there.
    const { stdout, stderr } = await ran.catch((error) => end().then(() => Promise.reject(error)));
    if (!leave.aborted) return { ...resultOf(name, run, words, stderr), stdout };
  } catch (error) {
    if (!leave.aborted) throw error;
  } finally {
    stopWaiting();
  }
  ctx.signal.throwIfAborted();
  throw tookTooLong(run.program, run.timeoutMs);
}

function programOptions(run: RemoteRun, words: RemoteWords): ProgramOptions {
  const over = new AbortController();
  const early: string[] = [];
  return {
    input: run.input,
    discard: run.discard,
    onChunk: run.onChunk,
    over: over.signal,
    onLine: (line, stream) => {
      const shown = stream === 'stderr' ? words.read(line) : line;
      if (words.state.status !== undefined) over.abort();
      // The streams come in any order. Before we know what to end, nobody may fail over a line.
      if (shown !== undefined && stream === 'stdout') early.push(shown);
      else if (shown !== undefined) run.onLine?.(shown, stream);
      if (words.state.pid === undefined) return;
      for (const text of early.splice(0)) run.onLine?.(text, 'stdout');
    },
  };
}

function resultOf(
  name: string,
  { program, cwd = '' }: RemoteRun,
  words: RemoteWords,
  stderr: string,
): Omit<RunResult, 'stdout'> {
  const { status, problem, pid } = words.state;
  if (problem === 'missing') throw notInstalled(program, `on ${name}`);
  if (problem === 'folder') throw noFolder(program, cwd);
  if (status !== undefined) return { status, stderr: words.clean(stderr) };
  if (pid === undefined) throw explain(name, stderr);
  throw disconnected(name, `"${program}" ran there`);
}

/** Asks the program to leave, waits, and insists. */
async function endRemote(
  ctx: Context,
  connection: SshConnection,
  { root }: RemoteRun,
  words: RemoteWords,
): Promise<void> {
  const { pid } = words.state;
  if (pid === undefined || words.state.status !== undefined) return;
  // What stops the run must not stop its end.
  const signal = AbortSignal.timeout(2 * GRACE_SECONDS * 1000);
  const line = shellLine([...root, 'sh', '-c', END, 'end', String(pid)]);
  // Where the line is gone nothing can be done.
  await connection.exec({ ...ctx, signal }, signal, line, {}).catch(() => undefined);
}
