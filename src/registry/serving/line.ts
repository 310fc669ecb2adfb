import type { Socket } from 'node:net';
import { HEADERS_TIMEOUT_MS, KEEP_ALIVE_MS } from './listener-options.ts';

type OnData = (bytes: Buffer) => void;

/** A connection between us and the server. */
export interface Line {
  /** Gives the server a whole request. */
  readonly pass: OnData;
  /** Gives it this and all that follows. */
  readonly leave: OnData;
}

export function openLine(socket: Socket, onData: OnData, serveHttp: () => void): Line {
  let toServer: OnData | undefined;
  const end = () => socket.end();
  const destroy = () => socket.destroy();
  // Until the server has its own. It leaves a connection open to answer who has said all.
  socket.on('data', onFirst).on('end', end).on('error', destroy).on('timeout', destroy);
  socket.setTimeout(HEADERS_TIMEOUT_MS);

  function onFirst(bytes: Buffer): void {
    socket.setTimeout(KEEP_ALIVE_MS);
    socket.off('data', onFirst).on('data', onData);
    onData(bytes);
  }

  function callServer(): void {
    socket.setTimeout(0);
    socket.off('data', onData).off('end', end).off('error', destroy).off('timeout', destroy);
    serveHttp();
  }

  /** Calls it, but has it read from us instead of the socket. */
  function introduceServer(): OnData {
    callServer();
    const [read = destroy] = socket.listeners('data') as OnData[];
    socket.off('data', read).on('data', onData);
    return read;
  }

  return {
    pass(bytes) {
      toServer ??= introduceServer();
      toServer(bytes);
    },
    leave(bytes) {
      if (toServer) socket.off('data', onData).on('data', toServer);
      else callServer();
      socket.emit('data', bytes);
    },
  };
}
