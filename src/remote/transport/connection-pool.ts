import type { Connection } from './connection.ts';

/** Unused connections per endpoint, the freshest on top. Nobody ever waits here. */
export class ConnectionPool {
  readonly #idle = new Map<string, { connection: Connection; since: number }[]>();
  readonly #all = new Set<Connection>();
  readonly #keepAliveMs: number;

  constructor(keepAliveMs: number) {
    this.#keepAliveMs = keepAliveMs;
  }

  /** A connection that rested for no longer than `maxIdleMs`, if there is one. */
  take(key: string, maxIdleMs: number): Connection | undefined {
    const stack = this.#idle.get(key) ?? [];
    for (let entry = stack.pop(); entry; entry = stack.pop()) {
      if (entry.connection.usable && performance.now() - entry.since <= maxIdleMs) {
        return entry.connection;
      }
      this.forget(entry.connection);
      entry.connection.destroy();
    }
    return undefined;
  }

  add(connection: Connection): void {
    this.#all.add(connection);
  }

  give(key: string, connection: Connection): void {
    connection.rest(this.#keepAliveMs);
    const stack = this.#idle.get(key) ?? [];
    stack.push({ connection, since: performance.now() });
    this.#idle.set(key, stack);
  }

  forget(connection: Connection): void {
    this.#all.delete(connection);
  }

  close(): void {
    for (const connection of this.#all) connection.destroy();
    this.#all.clear();
    this.#idle.clear();
  }
}
