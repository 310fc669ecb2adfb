import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AtollProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when a line on stderr has these words, at once for none, or when the process has ended. */
  told(words: string): Promise<void>;
  /** Sends a signal to the process and all that it started in its group, as a terminal does. */
  signalGroup(signal: NodeJS.Signals): void;
}

export interface AtollOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program of atoll in a process group of its own. */
export function startAtoll(
  program: string,
  args: readonly string[],
  { cwd, env }: AtollOptions = {},
): AtollProcess {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stdout = '';
  const seen: string[] = [];
  let look = () => undefined as unknown;
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    seen.push(line);
    look();
  });
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (status) => resolve({ status, stdout, stderr: seen.join('\n') })),
  );
  return {
    child,
    ended,
    told: (words) =>
      new Promise<void>((resolve) => {
        look = () => ['', ...seen].some((line) => line.includes(words)) && resolve();
        look();
        ended.then(() => resolve());
      }),
    signalGroup: (signal) => process.kill(-(child.pid ?? 0), signal),
  };
}

/** Command lines of all running processes that mention these words. */
export function processesWith(words: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .filter((line) => line.includes(words));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    // It ended while we looked.
    return '';
  }
}
