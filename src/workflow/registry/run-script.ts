import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Context } from '../../core/context.ts';
import { SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { identityOf, isRunning, readIdentity } from '../../core/process-identity.ts';
import { sleep } from '../../core/retry.ts';

/** A longer line is told in pieces. */
const LONGEST_LINE = 1024 ** 2;
/** How long what escaped from its group may hold our pipes. */
const DRAIN_MS = 1000;
const LOOK_AGAIN_MS = 50;

export interface Script {
  readonly program: string;
  readonly args: readonly string[];
  /** Where it runs, and where it is noted that it does. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly graceMs: number;
  readonly log: (line: string) => void;
}

/**
 * Runs a program in a group of its own until it ends, and gives its status. Aborting sends SIGINT
 * to the group, then SIGKILL after the grace period. What it left running ends with it, as in a
 * container; so does what an earlier run left that was killed itself.
 */
export async function runScript(ctx: Context, script: Script): Promise<number | string> {
  const note = join(script.directory, 'process.json');
  await endLeftOver(note, script.graceMs);
  ctx.signal.throwIfAborted();
  const child = spawn(script.program, script.args, {
    cwd: script.directory,
    env: script.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  try {
    const [status] = await Promise.all([untilEnd(ctx, child, script), noteThatItRuns(child, note)]);
    return status;
  } finally {
    await rm(note, { force: true });
  }
}

async function noteThatItRuns({ pid }: ChildProcess, note: string): Promise<void> {
  try {
    const identity = pid === undefined ? undefined : await identityOf(pid);
    if (identity) await writeFileAtomic(note, JSON.stringify(identity), { mode: SECRET_MODE });
  } catch (error) {
    killGroup(pid, 'SIGKILL');
    throw error;
  }
}

/** Ends what a run that was killed left behind: two at once would undo each other's work. */
async function endLeftOver(note: string, graceMs: number): Promise<void> {
  const identity = await readIdentity(note);
  if (identity && (await isRunning(identity))) {
    const stop = stopGroup(identity.pid, graceMs);
    const forever = { signal: new AbortController().signal };
    while (await isRunning(identity)) await sleep(forever, LOOK_AGAIN_MS);
    clearTimeout(stop);
  }
  await rm(note, { force: true });
}

function untilEnd(ctx: Context, child: ChildProcess, script: Script): Promise<number | string> {
  const { pid, stdout, stderr } = child;
  let killer: NodeJS.Timeout | undefined;
  const stop = () => {
    killer ??= stopGroup(pid, script.graceMs);
  };
  return new Promise<number | string>((resolve, reject) => {
    const spoil = (error: unknown) => {
      reject(error);
      killGroup(pid, 'SIGKILL');
    };
    for (const stream of [stdout, stderr]) if (stream) tellLines(stream, script.log, spoil);
    ctx.signal.addEventListener('abort', stop, { once: true });
    child.once('error', reject);
    child.once('exit', () => {
      killGroup(pid, 'SIGKILL');
      const drained = setTimeout(() => {
        stdout?.destroy();
        stderr?.destroy();
      }, DRAIN_MS);
      child.once('close', () => clearTimeout(drained));
    });
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  }).finally(() => {
    ctx.signal.removeEventListener('abort', stop);
    clearTimeout(killer);
  });
}

function tellLines(
  stream: Readable,
  log: (line: string) => void,
  spoil: (error: unknown) => void,
): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const tell = (line: string) => {
    try {
      log(line.replace(/\r$/, ''));
    } catch (error) {
      spoil(error);
    }
  };
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell(line);
    if (rest.length < LONGEST_LINE) return;
    tell(rest);
    rest = '';
  });
  stream.once('close', () => {
    rest += decoder.end();
    if (rest !== '') tell(rest);
  });
}

/** Asks a group to leave, and insists after the grace period unless the timer is cleared. */
function stopGroup(pid: number | undefined, graceMs: number): NodeJS.Timeout {
  killGroup(pid, 'SIGINT');
  return setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs);
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}
