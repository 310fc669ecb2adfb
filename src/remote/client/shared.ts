import type { Context } from '../../core/context.ts';

interface Running<T> {
  readonly promise: Promise<T>;
  readonly signal: AbortSignal;
}

/**
 * Work that many callers want and one does. A result is kept; a failure is told to all who waited
 * and then forgotten. When only the caller who did the work was stopped, the next one does it.
 */
export class Shared<T> {
  readonly #running = new Map<string, Running<T>>();

  async get(ctx: Context, key: string, work: () => Promise<T>): Promise<T> {
    for (;;) {
      const running = this.#running.get(key) ?? this.#start(ctx, key, work);
      try {
        return await running.promise;
      } catch (error) {
        const onlyTheOther = running.signal.aborted && !ctx.signal.aborted;
        if (!onlyTheOther) throw error;
      }
    }
  }

  forget(key: string): void {
    this.#running.delete(key);
  }

  #start(ctx: Context, key: string, work: () => Promise<T>): Running<T> {
    const running = { promise: work(), signal: ctx.signal };
    this.#running.set(key, running);
    running.promise.catch(() => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    });
    return running;
  }
}
