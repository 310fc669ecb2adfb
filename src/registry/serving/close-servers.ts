import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Connections } from './connections.ts';

export interface OpenServer {
  readonly server: Server;
  readonly connections: Connections;
}

const LOOK_MS = 50;
/** A client that has just connected is about to send a request. */
const PATIENCE_MS = 1000;

/** Stops accepting, lets requests under way finish, and after `drainMs` cuts off what is left. */
export async function closeServers(servers: readonly OpenServer[], drainMs: number): Promise<void> {
  // Also those that no longer listen: one of several processes may have lost its sockets already.
  const closed = servers.map(({ server }) => stopListening(server));
  const startedAt = performance.now();
  // A connection becomes idle when its answer is out; nobody tells us, so we look.
  const idle = setInterval(() => {
    const silent = performance.now() - startedAt > PATIENCE_MS;
    for (const { connections } of servers) connections.closeIdle({ silent });
  }, LOOK_MS);
  const late = setTimeout(() => {
    for (const { connections } of servers) connections.closeAll();
  }, drainMs);
  try {
    await Promise.all(closed);
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}

/** The server's own `close` would also cut off answers that are made but not yet out. */
async function stopListening(server: Server): Promise<void> {
  await new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  // Nothing is left to cut off; what else it keeps goes with it.
  server.close();
}
