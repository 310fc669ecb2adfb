import { type ChildProcess, spawn } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { makeFolder, SECRET_DIRECTORY_MODE, SECRET_MODE } from '../core/files.ts';
import { isRunning, type ProcessIdentity, readIdentity } from '../core/process-identity.ts';
import { sleep } from '../core/retry.ts';
import { selfCommand } from '../core/self.ts';

const STOP_PATIENCE_MS = 10_000;
const LOOK_AGAIN_MS = 50;

/** A process of atoll's own that goes on when the command that started it ends. */
export interface SiteService {
  /** Where it says that it runs, as a lock: a second one of the same name leaves again. */
  readonly pidFile: string;
  readonly logFile: string;
  /** Arguments of atoll; `--pid-file` is added. */
  readonly args: readonly string[];
}

async function runningService(pidFile: string): Promise<ProcessIdentity | undefined> {
  const identity = await readIdentity(pidFile);
  return identity && (await isRunning(identity)) ? identity : undefined;
}

/**
 * Starts the service unless it runs already; true when it was started now. The service itself
 * writes its pid file, so that one whose starter was killed is known all the same.
 */
export async function startService(
  ctx: Pick<Context, 'signal'>,
  { pidFile, logFile, args }: SiteService,
): Promise<boolean> {
  if (await runningService(pidFile)) return false;
  await makeFolder(dirname(logFile), SECRET_DIRECTORY_MODE);
  const log = await open(logFile, 'a', SECRET_MODE);
  const self = selfCommand();
  // Not `runProgram`, which waits for the end: this one outlives us, and writes to a file of its own.
  const child = spawn(self.file, [...self.args, ...args, '--pid-file', pidFile], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  child.unref();
  try {
    const { pid } = await untilItRuns(ctx, child, pidFile);
    if (pid === child.pid) return true;
    // Another was quicker; ours must not come up late, when that one has been stopped.
    child.kill('SIGKILL');
    return false;
  } catch (error) {
    child.kill('SIGKILL');
    ctx.signal.throwIfAborted();
    throw new AtollError('PROGRAM_FAILED', `Cannot start "atoll ${args.join(' ')}"`, {
      hint: `Look at ${logFile}`,
      cause: error,
    });
  } finally {
    await log.close();
  }
}

/** Waits until the service runs, be it our child or one that another started. */
async function untilItRuns(
  ctx: Pick<Context, 'signal'>,
  child: ChildProcess,
  pidFile: string,
): Promise<ProcessIdentity> {
  let gone: string | undefined;
  child.once('error', ({ message }) => {
    gone = message;
  });
  child.once('exit', (status) => {
    gone = `it ended with status ${status}`;
  });
  for (;;) {
    // Ours may leave because another took the pid file after we looked: look once more, then give up.
    const ended = gone;
    const identity = await runningService(pidFile);
    if (identity) return identity;
    if (ended !== undefined) throw new Error(ended);
    await sleep(ctx, LOOK_AGAIN_MS);
  }
}

/** Stops a service: asks, waits, insists. False when it was not running. */
export async function stopService(ctx: Pick<Context, 'signal'>, pidFile: string): Promise<boolean> {
  const identity = await runningService(pidFile);
  if (identity) {
    process.kill(identity.pid, 'SIGTERM');
    const deadline = Date.now() + STOP_PATIENCE_MS;
    while (await isRunning(identity)) {
      if (Date.now() > deadline) process.kill(identity.pid, 'SIGKILL');
      await sleep(ctx, LOOK_AGAIN_MS);
    }
  }
  await rm(pidFile, { force: true });
  return identity !== undefined;
}

export async function isServiceRunning(pidFile: string): Promise<boolean> {
  return (await runningService(pidFile)) !== undefined;
}
