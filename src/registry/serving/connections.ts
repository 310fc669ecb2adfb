import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of one server. Node counts an answer as done when it is made, not when it is out. */
export interface Connections {
  /** Those whose answers are all out; with `silent` also those on which nobody has asked yet. */
  closeIdle(options: { readonly silent: boolean }): void;
  closeAll(): void;
}

export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  /** Answers still to come; absent where nobody has asked. With TLS, sockets of their own. */
  const open = new Map<Socket, number | undefined>();

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const speaks = 'setSecureContext' in server ? 'secureConnection' : 'connection';
  server.on(speaks, (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (change: number) => {
      if (open.has(socket)) open.set(socket, (open.get(socket) ?? 0) + change);
    };
    count(1);
    response.once('close', () => count(-1));
  });

  return {
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
