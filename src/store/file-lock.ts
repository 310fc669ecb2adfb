import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, readlink, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Context } from '../core/context.ts';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import { unwritable } from '../core/files.ts';
import { sleep } from '../core/retry.ts';

export interface LockOptions {
  /** How long to wait for another holder before `LOCKED`. */
  readonly waitMs?: number;
}

const DEFAULT_WAIT_MS = 5_000;
const FIRST_POLL_MS = 2;
const MAX_POLL_MS = 50;
/** A holder on another machine counts as dead when it has not touched its lock for this long. */
const SILENT_MS = 60_000;
const TORN_MS = 2_000;
const HEARTBEAT_MS = 10_000;
/** Breaking a dead lock takes microseconds; a guard this old was left by a crash. */
const GUARD_MS = 10_000;

interface Holder {
  readonly host: string;
  /** Numbers of processes mean something only within it: containers may share a name and a disk. */
  readonly namespace?: string;
  readonly pid: number;
  /** Tells two processes with the same number apart; empty where the system does not say. */
  readonly started: string;
  readonly token: string;
}

/**
 * Runs `task` while holding a lock file. Holders in other processes, and on other machines that
 * share the disk, are waited for; a lock whose holder is dead is taken over.
 */
export async function withFileLock<T>(
  ctx: Pick<Context, 'signal'>,
  path: string,
  options: LockOptions,
  task: () => Promise<T>,
): Promise<T> {
  const holder = await ourselves();
  await acquire(ctx, path, holder, options.waitMs ?? DEFAULT_WAIT_MS);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await task();
  } finally {
    clearInterval(heartbeat);
    await release(path, holder);
  }
}

async function acquire(
  ctx: Pick<Context, 'signal'>,
  path: string,
  holder: Holder,
  waitMs: number,
): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, pollMs * 2)) {
    if (await take(path, holder)) return;
    if (await breakDead(path)) continue;
    if (performance.now() >= deadline) throw locked(path);
    await sleep(ctx, pollMs);
  }
}

async function take(path: string, holder: Holder): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(JSON.stringify(holder));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw unwritable(path, error);
  }
}

/** A machine that slept for long may find that another one has taken the lock over. */
async function release(path: string, { token }: Holder): Promise<void> {
  const holder = await readHolder(path);
  const isOther = typeof holder === 'object' && holder.token !== token;
  if (!isOther) await rm(path, { force: true });
}

/**
 * Removes a lock whose holder is dead; true when it is worth trying again at once. The guard
 * makes sure that only one process removes, and that it removes the lock it looked at.
 */
async function breakDead(path: string): Promise<boolean> {
  if (!(await isDead(path))) return false;
  const guard = `${path}.break`;
  try {
    await mkdir(guard);
  } catch {
    if (await isOlder(guard, GUARD_MS)) await rmdir(guard).catch(() => undefined);
    return false;
  }
  try {
    if (await isDead(path)) await rm(path, { force: true });
    return true;
  } finally {
    await rmdir(guard).catch(() => undefined);
  }
}

async function isDead(path: string): Promise<boolean> {
  const holder = await readHolder(path);
  // Released meanwhile.
  if (holder === 'gone') return false;
  // Being written this instant, or its writer was killed at it.
  if (holder === 'torn') return await isOlder(path, TORN_MS);
  if (!(await isNeighbour(holder))) return await isOlder(path, SILENT_MS);
  return (await startedAt(holder.pid)) !== holder.started;
}

async function readHolder(path: string): Promise<Holder | 'gone' | 'torn'> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT' ? 'gone' : 'torn';
  }
}

async function isOlder(path: string, ms: number): Promise<boolean> {
  const status = await stat(path).catch(() => undefined);
  return status !== undefined && Date.now() - status.mtimeMs > ms;
}

let self: Promise<Omit<Holder, 'token'>> | undefined;

async function ourselves(): Promise<Holder> {
  self ??= describeSelf();
  return { ...(await self), token: randomUUID() };
}

async function describeSelf(): Promise<Omit<Holder, 'token'>> {
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  const started = (await startedAt(process.pid)) ?? '';
  return { host: hostname(), namespace, pid: process.pid, started };
}

/** Whether the holder's number says which process it is. */
async function isNeighbour({ host, namespace }: Holder): Promise<boolean> {
  const own = await ourselves();
  return host === own.host && (namespace ?? own.namespace) === own.namespace;
}

/** When a process started, as the kernel tells it; undefined when there is no such process. */
async function startedAt(pid: number): Promise<string | undefined> {
  try {
    const fields = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name may hold spaces and parentheses; the numbers follow its last parenthesis.
    return fields.slice(fields.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return isAlive(pid) ? '' : undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}

function locked(path: string): AtollError {
  return new AtollError('LOCKED', `Cannot lock "${path}": another process holds it`, {
    hint: 'Wait until it is done and run the same command again',
    details: { path },
  });
}
