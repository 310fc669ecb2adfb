import type { Context } from '../../core/context.ts';
import { onAbort } from '../../core/on-abort.ts';
import { sleep } from '../../core/retry.ts';

/**
 * Limits concurrent requests to one registry. Requests are admitted up to `limit`; a 429 halves it and pauses all
 * of them, and successes let it grow back by one at a time. Bodies under way do not count: a
 * request that holds a connection must never wait for another one.
 */
export interface Limiter {
  readonly limit: number;
  /** Requests admitted and not yet answered. */
  readonly active: number;
  /** Waits for a turn; call what it returns when the answer has begun. */
  admit(ctx: Pick<Context, 'signal'>): Promise<() => void>;
  /** The registry asked for a break. */
  throttled(pauseMs: number): void;
  succeeded(): void;
  /** Tells of every change of `limit`; returns how to stop listening. */
  onChange(listener: (limit: number) => void): () => void;
}

export function createLimiter(most: number): Limiter {
  return new AdaptiveLimiter(most);
}

class AdaptiveLimiter implements Limiter {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  readonly #listeners = new Set<(limit: number) => void>();
  #limit: number;
  #active = 0;
  #successes = 0;
  #pausedUntil = 0;

  constructor(most: number) {
    this.#most = Math.max(1, most);
    this.#limit = this.#most;
  }

  get limit(): number {
    return this.#limit;
  }

  get active(): number {
    return this.#active;
  }

  async admit(ctx: Pick<Context, 'signal'>): Promise<() => void> {
    ctx.signal.throwIfAborted();
    while (this.#active >= this.#limit) await this.#turn(ctx.signal);
    this.#active += 1;
    try {
      await this.#pause(ctx);
    } catch (error) {
      this.#release();
      throw error;
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release();
    };
  }

  throttled(pauseMs: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + pauseMs);
    this.#successes = 0;
    this.#resize(Math.floor(this.#limit / 2));
  }

  succeeded(): void {
    if (this.#limit === this.#most) return;
    this.#successes += 1;
    // As many successes as the limit allows at once before it is raised.
    if (this.#successes < this.#limit) return;
    this.#successes = 0;
    this.#resize(this.#limit + 1);
  }

  onChange(listener: (limit: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #resize(limit: number): void {
    const next = Math.min(this.#most, Math.max(1, limit));
    if (next === this.#limit) return;
    this.#limit = next;
    for (const listener of this.#listeners) listener(next);
    this.#wake();
  }

  #release(): void {
    this.#active -= 1;
    this.#wake();
  }

  #wake(): void {
    let free = this.#limit - this.#active;
    for (const start of this.#waiting) {
      if (free <= 0) return;
      free -= 1;
      this.#waiting.delete(start);
      start();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        stopWaiting();
        resolve();
      };
      const stopWaiting = onAbort(signal, () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      });
      this.#waiting.add(start);
    });
  }

  async #pause(ctx: Pick<Context, 'signal'>): Promise<void> {
    for (;;) {
      const left = this.#pausedUntil - performance.now();
      if (left <= 0) return;
      await sleep(ctx, left);
    }
  }
}
