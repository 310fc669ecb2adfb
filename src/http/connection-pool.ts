import type { Connection } from './connection.ts';

interface Resting {
  readonly connection: Connection;
  readonly since: number;
  /** How long it may rest, ours and the server's time taken together. */
  readonly mostMs: number;
}

/** Idle connections of each route, the most recently used on top. Taking one never waits. */
export class ConnectionPool {
  readonly #idle = new Map<string, Resting[]>();
  readonly #all = new Set<Connection>();
  readonly #keepAliveMs: number;

  constructor(keepAliveMs: number) {
    this.#keepAliveMs = keepAliveMs;
  }

  /** A connection that rested for no longer than `maxIdleMs`, if there is one. */
  take(key: string, maxIdleMs: number): Connection | undefined {
    const stack = this.#idle.get(key) ?? [];
    for (let resting = stack.pop(); resting; resting = stack.pop()) {
      const { connection, since, mostMs } = resting;
      const isFresh = performance.now() - since <= Math.min(maxIdleMs, mostMs);
      if (connection.usable && isFresh) return connection;
      this.forget(connection);
      connection.destroy();
    }
    return undefined;
  }

  add(connection: Connection): void {
    this.#all.add(connection);
  }

  give(key: string, connection: Connection): void {
    const mostMs = Math.min(this.#keepAliveMs, connection.serverKeepAliveMs ?? this.#keepAliveMs);
    connection.rest(mostMs);
    const stack = this.#idle.get(key) ?? [];
    stack.push({ connection, since: performance.now(), mostMs });
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
