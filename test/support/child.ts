import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { tempDir } from './temp.ts';

/**
 * Runs a TypeScript module in a process of its own. It may answer with `process.send`; it is
 * killed, if still there, when the test ends.
 */
export async function startChild(module: string, args: readonly string[]): Promise<ChildProcess> {
  const outfile = join(await tempDir(), 'child.mjs');
  await build({
    entryPoints: [module],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    // Some packages are CommonJS and ask for built-in modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire('/');",
    },
  });
  const child = fork(outfile, [...args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(async () => {
    await killChild(child);
  });
  return child;
}

/** The next message of a child; rejects when it ends without one. */
export async function messageFrom(child: ChildProcess): Promise<unknown> {
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`The child ended with ${code} and said nothing`);
  });
  gone.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), gone]);
  return message;
}

/** Kills without warning, as a power cut would, and waits until the process is gone. */
export async function killChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
