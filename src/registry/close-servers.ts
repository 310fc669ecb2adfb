import type { Server } from 'node:http';

const LOOK_MS = 50;

/** Stops accepting, lets requests under way finish, and after `drainMs` cuts off what is left. */
export async function closeServers(servers: readonly Server[], drainMs: number): Promise<void> {
  // Also those that no longer listen: one of several processes may have lost its sockets already.
  const closed = servers.map(
    (server) => new Promise<void>((resolve) => server.close(() => resolve())),
  );
  // A connection becomes idle when its request is done; nobody tells us, so we look.
  const idle = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, LOOK_MS);
  const late = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, drainMs);
  try {
    await Promise.all(closed);
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}
