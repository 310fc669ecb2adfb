import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Context } from './context.ts';
import { AtollError, systemCodeOf } from './errors.ts';
import { makeFolder, readTextIfPresent, SECRET_DIRECTORY_MODE, unwritable } from './files.ts';
import { identityOf, isIdentity, lifeOf, type ProcessIdentity } from './process-identity.ts';
import { sleep } from './retry.ts';
import { parseJson } from './shape.ts';

export interface LockOptions {
  /** How long to wait for another holder before `LOCKED`. */
  readonly waitMs?: number;
}

export interface Lock {
  release(): Promise<void>;
}

const DEFAULT_WAIT_MS = 5_000;
const FIRST_POLL_MS = 2;
const MAX_POLL_MS = 50;
/** A holder that cannot be looked at counts as dead when it has not touched its lock for this long. */
const SILENT_MS = 60_000;
const HEARTBEAT_MS = 10_000;
/** Writing a lock or breaking a dead one takes microseconds; what is older was left by a crash. */
const TORN_MS = 2_000;
const GUARD_MS = 10_000;

/**
 * The holder is unknown while a lock is written or broken; that is over in a moment, or, where somebody
 * was killed at it, when what they left is old enough.
 */
const OVER_MS = { free: TORN_MS, held: 0, torn: TORN_MS, dead: GUARD_MS + TORN_MS };

/** What a lock file says: who has it, and words for the person who has to wait. */
interface Holder extends ProcessIdentity {
  readonly since?: string;
}

interface Found {
  /** `torn`: being written this instant, or its writer was killed at it. */
  readonly state: 'free' | 'held' | 'torn' | 'dead';
  readonly holder?: Holder | undefined;
}

interface Wanted {
  readonly what: string;
  readonly waitMs: number;
  readonly tookOver: (from: Holder | undefined) => void;
}

/**
 * Takes a lock that is kept for long, or throws `LOCKED` at once naming who has it. A lock whose
 * process is gone (a crash, a reboot) is taken over, and told. It also serves as a pid file.
 */
export async function acquireLock(ctx: Context, path: string, what: string): Promise<Lock> {
  await makeFolder(dirname(path), SECRET_DIRECTORY_MODE);
  const tookOver = (from: Holder | undefined) =>
    ctx.emit({
      type: 'note.added',
      message: `Took over the lock of ${what}: process ${from?.pid ?? 'unknown'} is gone`,
    });
  return await take(ctx, path, { what, waitMs: 0, tookOver });
}

/**
 * Runs `task` while holding a lock file. Holders in other processes, and on other machines that
 * share the disk, are waited for; a lock whose holder is dead is taken over.
 */
export async function withLock<T>(
  ctx: Pick<Context, 'signal'>,
  path: string,
  { waitMs = DEFAULT_WAIT_MS }: LockOptions,
  task: () => Promise<T>,
): Promise<T> {
  const lock = await take(ctx, path, { what: `"${path}"`, waitMs, tookOver: () => undefined });
  try {
    return await task();
  } finally {
    await lock.release();
  }
}

/** Whether somebody who lives has the lock. */
export async function isLocked(path: string): Promise<boolean> {
  return (await look(path)).state === 'held';
}

async function take(ctx: Pick<Context, 'signal'>, path: string, wanted: Wanted): Promise<Lock> {
  const text = await ownText();
  const startedMs = performance.now();
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, pollMs * 2)) {
    if (await create(path, text)) return held(path, text);
    const { state, holder } = await look(path);
    if (state === 'dead' && (await breakDead(path))) {
      wanted.tookOver(holder);
      continue;
    }
    const patienceMs = Math.max(wanted.waitMs, OVER_MS[state]);
    if (performance.now() - startedMs >= patienceMs) throw locked(path, wanted.what, holder);
    await sleep(ctx, pollMs);
  }
}

let self: Promise<ProcessIdentity | undefined> | undefined;

async function ownText(): Promise<string> {
  self ??= identityOf(process.pid);
  // The token makes every lock another one, also within one process.
  return JSON.stringify({
    ...(await self),
    since: new Date().toISOString(),
    token: randomUUID(),
  });
}

async function create(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(text).finally(() => file.close());
    } catch (error) {
      await rm(path, { force: true }).catch(() => left.add(text));
      throw error;
    }
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw unwritable(path, error);
  }
}

function held(path: string, text: string): Lock {
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    release: async () => {
      clearInterval(heartbeat);
      await removeOwn(path, text).catch(() => left.add(text));
    },
  };
}

/** Locks of this process that a failing disk did not let go: we live, but nobody holds them. */
const left = new Set<string>();

async function removeOwn(path: string, text: string): Promise<void> {
  // A machine that slept for long may find that another one has taken the lock over.
  const found = await readTextIfPresent(path);
  if (found === text) await rm(path, { force: true });
}

/**
 * Removes a dead lock; true when it is worth trying again at once. The guard makes sure that only
 * one process removes, and that it removes the lock it looked at.
 */
async function breakDead(path: string): Promise<boolean> {
  const guard = `${path}.break`;
  try {
    await mkdir(guard);
  } catch {
    if (await isOlder(guard, GUARD_MS)) await rmdir(guard).catch(() => undefined);
    return false;
  }
  try {
    if ((await look(path)).state !== 'dead') return false;
    await rm(path, { force: true });
    return true;
  } finally {
    await rmdir(guard).catch(() => undefined);
  }
}

async function look(path: string): Promise<Found> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return { state: 'free' };
    // Another user's, who does not let us read it.
    return { state: (await isOlder(path, SILENT_MS)) ? 'dead' : 'held' };
  }
  if (left.has(text)) return { state: 'dead' };
  const holder = parseJson(text);
  if (!isHolder(holder)) return { state: (await isOlder(path, TORN_MS)) ? 'dead' : 'torn' };
  const life = await lifeOf(holder);
  const isDead = life === 'unknown' ? await isOlder(path, SILENT_MS) : life === 'dead';
  return { state: isDead ? 'dead' : 'held', holder };
}

function isHolder(value: unknown): value is Holder {
  return isIdentity(value) && (!('since' in value) || typeof value.since === 'string');
}

async function isOlder(path: string, ms: number): Promise<boolean> {
  const status = await stat(path).catch(() => undefined);
  return status !== undefined && Date.now() - status.mtimeMs > ms;
}

function locked(path: string, what: string, holder: Holder | undefined): AtollError {
  const { pid, host = 'this machine', since } = holder ?? {};
  const who = pid === undefined ? 'another process' : `process ${pid} on ${host}`;
  const when = since === undefined ? '' : ` since ${since}`;
  return new AtollError('LOCKED', `Cannot use ${what}: ${who} has it${when}`, {
    hint: `Wait for it, or stop it; if it is gone, remove "${path}"`,
    details: { path, ...(pid === undefined ? {} : { pid }) },
  });
}
