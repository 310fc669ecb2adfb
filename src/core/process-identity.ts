import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { systemCodeOf } from './errors.ts';
import { readTextIfPresent } from './files.ts';
import { isObject, parseJson } from './shape.ts';

/** Tells a process from a later one that got the same number, and from one of another machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the kernel's own words; empty where the system does not say. */
  readonly started: string;
  readonly host?: string | undefined;
  /** Numbers of processes mean something only within it: containers may share a name and a disk. */
  readonly namespace?: string | undefined;
}

/** `unknown`: it runs on another machine or in another container, if it does. */
export type Life = 'alive' | 'dead' | 'unknown';

/** Undefined when there is no such process. */
export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const started = await startOf(pid);
  return started === undefined ? undefined : { pid, started, ...(await here()) };
}

export async function lifeOf(identity: ProcessIdentity): Promise<Life> {
  const { host, namespace } = await here();
  if ((identity.host ?? host) !== host) return 'unknown';
  if ((identity.namespace ?? namespace) !== namespace) return 'unknown';
  const started = await startOf(identity.pid);
  if (started === undefined) return 'dead';
  // A process that hides its start can only be believed.
  const isSame = started === '' || identity.started === '' || started === identity.started;
  return isSame ? 'alive' : 'dead';
}

/** Whether that very process runs, here. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await lifeOf(identity)) === 'alive';
}

/** Who a file names: undefined when there is no file, or when it was cut off while written. */
export async function readIdentity(path: string): Promise<ProcessIdentity | undefined> {
  const value = parseJson((await readTextIfPresent(path)) ?? '');
  return isIdentity(value) ? value : undefined;
}

export function isIdentity(value: unknown): value is ProcessIdentity {
  if (!isObject(value)) return false;
  const { pid, started, host = '', namespace = '' } = value;
  const isNumber = Number.isSafeInteger(pid) && Number(pid) > 0;
  return isNumber && [started, host, namespace].every((each) => typeof each === 'string');
}

let place: Promise<{ readonly host: string; readonly namespace: string }> | undefined;

function here(): NonNullable<typeof place> {
  place ??= readlink('/proc/self/ns/pid')
    .catch(() => '')
    .then((namespace) => ({ host: hostname(), namespace }));
  return place;
}

/** When a process started; undefined when there is none, or when only its status is left. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold blanks; the 20th field after it is the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : (fields[19] ?? '');
  } catch {
    return processExists(pid) ? '' : undefined;
  }
}

/** A process that may not be signalled is one all the same. */
function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
}
