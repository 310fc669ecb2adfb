import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { runProgram, signalGroup } from '../../core/process.ts';
import { identityOf, isRunning, readIdentity } from '../../core/process-identity.ts';
import { sleep } from '../../core/retry.ts';

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
  const { program, args, directory, environment, graceMs, log } = script;
  const note = join(directory, 'process.json');
  await endLeftOver(note, graceMs);
  try {
    const { status, signal } = await runProgram(ctx, program, args, {
      cwd: directory,
      environment,
      group: true,
      stopSignal: 'SIGINT',
      graceMs,
      onLine: log,
      discard: true,
      onStart: (pid) => noteThatItRuns(pid, note),
    });
    return signal ?? status;
  } finally {
    await rm(note, { force: true });
  }
}

async function noteThatItRuns(pid: number, note: string): Promise<void> {
  const identity = await identityOf(pid);
  if (identity) await writeFileAtomic(note, JSON.stringify(identity), { mode: SECRET_MODE });
}

/** Ends what a run that was killed left behind: two at once would undo each other's work. */
async function endLeftOver(note: string, graceMs: number): Promise<void> {
  const identity = await readIdentity(note);
  if (identity && (await isRunning(identity))) {
    signalGroup(identity.pid, 'SIGINT');
    const insist = setTimeout(() => signalGroup(identity.pid, 'SIGKILL'), graceMs);
    const forever = { signal: new AbortController().signal };
    while (await isRunning(identity)) await sleep(forever, LOOK_AGAIN_MS);
    clearTimeout(insist);
  }
  await rm(note, { force: true });
}
