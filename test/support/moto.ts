import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './docker-registry.ts';
import { peerPath } from './peers.ts';

export interface Moto {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A real HTTP server that answers as AWS does; call `stop` when done. */
export async function startMoto(): Promise<Moto> {
  const port = await freePort();
  const program = peerPath('moto_server') ?? 'moto_server';
  const child = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  await waitForPort(child, port);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      if (child.exitCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

async function waitForPort(child: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (child.exitCode !== null) throw new Error(`moto_server ended with ${child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (open) return;
    await sleep(100);
  }
  throw new Error(`moto_server does not listen on port ${port}`);
}
