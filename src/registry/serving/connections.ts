import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of one server. Node counts an answer as done when it is made, not when it is out. */
export interface Connections {
  /** So many answers more, or fewer, are still to come on this one. */
  count(socket: Socket, change: 1 | -1): void;
  /** Whether none is still to come. */
  isIdle(socket: Socket): boolean;
  /** Connections without an open request; with `silent` also those without any request yet. */
  closeIdle(options: { readonly silent: boolean }): void;
  closeAll(): void;
}

/** The event of a connection on which HTTP is spoken. */
export const speaksOn = (server: Server): string =>
  'setSecureContext' in server ? 'secureConnection' : 'connection';

export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  /** Open requests; absent before the first one. With TLS, by TLS socket. */
  const open = new Map<Socket, number | undefined>();

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on(speaksOn(server), (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  const count = (socket: Socket, change: number) => {
    const answers = open.get(socket);
    if (answers !== undefined || open.has(socket)) open.set(socket, (answers ?? 0) + change);
  };
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });

  return {
    count,
    isIdle: (socket) => !open.get(socket),
    closeIdle({ silent }) {
      for (const [socket, answers] of open) {
        if (answers === 0 || (silent && answers === undefined)) socket.destroy();
      }
    },
    closeAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
