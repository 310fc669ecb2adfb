import { freePort } from './docker-registry.ts';
import { startListening } from './listening-program.ts';
import { peerPath } from './peers.ts';

export interface Moto {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A real HTTP server that answers as AWS does; call `stop` when done. */
export async function startMoto(): Promise<Moto> {
  const port = await freePort();
  const program = peerPath('moto_server') ?? 'moto_server';
  const stop = await startListening(program, ['-H', '127.0.0.1', '-p', String(port)], port);
  return { url: `http://127.0.0.1:${port}`, stop };
}
