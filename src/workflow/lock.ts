import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import { SECRET_DIRECTORY_MODE, SECRET_MODE } from '../core/files.ts';
import { identityOf, isRunning, type ProcessIdentity } from '../core/process-identity.ts';

interface Holder extends ProcessIdentity {
  readonly host: string;
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
      started: (await identityOf(process.pid))?.started ?? '',
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
  return holder.host !== hostname() || isRunning(holder);
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
