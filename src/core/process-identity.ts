import { readFile } from 'node:fs/promises';

/** Tells a process from a later one that got the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the kernel's own words. */
  readonly started: string;
}

export async function identityOf(pid: number): Promise<ProcessIdentity | undefined> {
  const started = await startOf(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether that very process still runs. */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  return (await startOf(pid)) === started;
}

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
