import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import { SECRET_DIRECTORY_MODE, SECRET_MODE } from '../core/files.ts';
import { identityOf, isRunning, type ProcessIdentity } from '../core/process-identity.ts';

const TRIES = 5;

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
  for (let tries = 0; tries < TRIES; tries += 1) {
    const taken = await tryTake(ctx, path);
    if (taken) return { release: () => releaseOwn(path, taken) };
    const text = await textOf(path);
    const holder = holderIn(text);
    if (holder && (await isAlive(holder))) throw locked(path, what, holder);
    if (text === undefined || !(await takeAway(path, text))) continue;
    ctx.emit({
      type: 'note.added',
      message: `Took over the lock of ${what}: process ${holder?.pid ?? 'unknown'} is gone`,
    });
  }
  throw new AtollError('LOCKED', `Cannot lock ${what}: others keep taking "${path}"`);
}

/** What we wrote into the lock when it is ours now. It appears with its content or not at all. */
async function tryTake(ctx: Context, path: string): Promise<string | undefined> {
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    started: (await identityOf(process.pid))?.started ?? '',
    since: ctx.now().toISOString(),
  };
  const text = JSON.stringify(holder);
  const own = `${path}.${randomUUID()}`;
  try {
    await writeFile(own, text, { mode: SECRET_MODE });
    await link(own, path);
    return text;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return undefined;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

/** Removes a dead lock, unless another was quicker and has made it a live one. */
async function takeAway(path: string, dead: string): Promise<boolean> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await textOf(aside)) === dead) return true;
    await link(aside, path).catch(() => undefined);
    return false;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

async function releaseOwn(path: string, text: string): Promise<void> {
  if ((await textOf(path)) === text) await rm(path, { force: true });
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

function holderIn(text: string | undefined): Holder | undefined {
  try {
    return JSON.parse(text ?? '') as Holder;
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
