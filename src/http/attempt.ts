import type { Socket } from 'node:net';
import { onAbort } from '../core/on-abort.ts';
import { StallError } from './watchdog.ts';

/** One try to connect: what it opened so far, and when it is over. */
export class RequestAttempt {
  readonly signal: AbortSignal;
  readonly #sockets: Socket[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #stopWaiting: () => void;

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.signal = signal;
    this.#stopWaiting = onAbort(signal, () => this.abandon(signal.reason));
    const late = () => this.abandon(new StallError(`no connection within ${timeoutMs} ms`));
    this.#timer = setTimeout(late, timeoutMs);
  }

  watch<S extends Socket>(socket: S): S {
    this.#sockets.push(socket);
    // `until` reports errors; between two calls of it an error must not be unhandled.
    socket.on('error', () => undefined);
    return socket;
  }

  /** Waits for an event of the socket; its error or end, the timeout or the signal reject. */
  until(socket: Socket, event: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        socket.off(event, onEvent);
        socket.off('error', onError);
        socket.off('close', onClose);
        finish();
      };
      const onEvent = () => settle(resolve);
      const onError = (error: Error) => settle(() => reject(error));
      const onClose = () => settle(() => reject(new Error('the connection was closed')));
      socket.on(event, onEvent);
      socket.on('error', onError);
      socket.on('close', onClose);
    });
  }

  abandon(reason?: unknown): void {
    for (const socket of this.#sockets)
      socket.destroy(reason instanceof Error ? reason : undefined);
  }

  done(): void {
    clearTimeout(this.#timer);
    this.#stopWaiting();
  }
}
