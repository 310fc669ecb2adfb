import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import { SECRET_DIRECTORY_MODE, SECRET_MODE } from '../core/files.ts';

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Tells this process from a later one with the same number. */
  readonly started: string;
  readonly since: string;
}

export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the lock, or throws `LOCKED` naming who has it. A lock whose process is gone (a crash, a
 * reboot) is recognised, told and taken over.
 */
export async function acquireLock(ctx: Context, path: string, what: string): Promise<Lock> {
  await mkdir(dirname(path), { recursive: true, mode: SECRET_DIRECTORY_MODE });
  for (let tries = 0; tries < 3; tries += 1) {
    if (await tryTake(ctx, path)) return { release: () => rm(path, { force: true }) };
    const holder = await readHolder(path);
    if (holder && (await isAlive(holder))) throw locked(path, what, holder);
    ctx.emit({
      type: 'note.added',
      message: `Took over the lock of ${what}: process ${holder?.pid ?? 'unknown'} is gone`,
    });
    await rm(path, { force: true });
  }
  throw new AtollError('LOCKED', `Cannot lock ${what}: others keep taking "${path}"`);
}

async function tryTake(ctx: Context, path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', SECRET_MODE);
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      started: (await startOf(process.pid)) ?? '',
      since: ctx.now().toISOString(),
    };
    await file.writeFile(JSON.stringify(holder));
    await file.close();
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    // Torn by a crash, or released meanwhile: nobody's.
    return undefined;
  }
}

async function isAlive(holder: Holder): Promise<boolean> {
  // Another machine's process cannot be looked at; believe the file.
  if (holder.host !== hostname()) return true;
  const started = await startOf(holder.pid);
  return started !== undefined && started === holder.started;
}

/** When a process started, in the kernel's own words; undefined when it is gone. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold blanks; the 20th field after it is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return processExists(pid) ? 'unknown' : undefined;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function locked(path: string, what: string, holder: Holder): AtollError {
  return new AtollError(
    'LOCKED',
    `Cannot use ${what}: process ${holder.pid} on ${holder.host} has it since ${holder.since}`,
    {
      hint: `Wait for it, or stop it; if it is gone, remove "${path}"`,
      details: { path, pid: holder.pid },
    },
  );
}
