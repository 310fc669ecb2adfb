import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts a server of others and waits until it listens on a port of loopback; returns how to end it. */
export async function startListening(
  program: string,
  args: readonly string[],
  port: number,
  env: NodeJS.ProcessEnv = process.env,
): Promise<() => Promise<void>> {
  const child = spawn(program, args, { stdio: 'ignore', env });
  await waitForPort(child, basename(program), port);
  return async () => {
    if (child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
}

async function waitForPort(child: ChildProcess, name: string, port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    if (await accepts(port)) return;
    await sleep(50);
  }
  throw new Error(`${name} does not listen on port ${port}`);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return open;
}
