import { type ChildProcess, execFile, spawn } from 'node:child_process';

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a bundled atoll to its end. */
export function runBundle(program: string, args: readonly string[], input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** Starts `registry serve` of a bundled atoll and waits until it says that it listens. */
export async function serveBundle(
  program: string,
  args: readonly string[],
  detached = false,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, 'registry', 'serve', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached,
  });
  let told = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(told)));
    child.stderr?.on('data', (chunk) => {
      told += chunk;
      if (told.includes('listens on')) resolve();
    });
  });
  return child;
}
