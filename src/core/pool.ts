import type { Context } from './context.ts';

/** Runs work with a bound on how much is under way, first come first served within each key. */
export interface Pool {
  /** Queues one task. Keys take turns, so one busy registry cannot starve the others. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Changes the bound while running; what is under way finishes. */
  resize(limit: number): void;
  readonly limit: number;
  readonly active: number;
}

interface Waiting {
  readonly start: () => void;
  readonly cancel: (reason: unknown) => void;
}

export function createPool(ctx: Pick<Context, 'signal'>, limit: number): Pool {
  const queues = new Map<string, Waiting[]>();
  let bound = Math.max(1, limit);
  let active = 0;

  function startNext(): void {
    while (active < bound) {
      const turn = queues.entries().next();
      if (turn.done) return;
      const [key, queue] = turn.value;
      // To the back of the line: the next key has its turn first.
      queues.delete(key);
      const next = queue.shift();
      if (queue.length > 0) queues.set(key, queue);
      active += 1;
      next?.start();
    }
  }

  ctx.signal.addEventListener('abort', () => {
    for (const queue of queues.values())
      for (const waiting of queue) waiting.cancel(ctx.signal.reason);
    queues.clear();
  });

  return {
    run<T>(key: string, task: () => Promise<T>): Promise<T> {
      if (ctx.signal.aborted) return Promise.reject(ctx.signal.reason);
      return new Promise<T>((resolve, reject) => {
        const start = () => {
          const finished = () => {
            active -= 1;
            startNext();
          };
          // A task that throws before its first await must give its place back too.
          const running = (async () => task())();
          running.then(resolve, reject).then(finished, finished);
        };
        const queue = queues.get(key);
        if (queue) queue.push({ start, cancel: reject });
        else queues.set(key, [{ start, cancel: reject }]);
        startNext();
      });
    },
    resize(next: number): void {
      bound = Math.max(1, next);
      startNext();
    },
    get limit() {
      return bound;
    },
    get active() {
      return active;
    },
  };
}

/**
 * Maps with a bound on how much runs at once. Results keep the order of the items. After a failure
 * nothing new starts, and what is under way has ended when the first failure is thrown.
 */
export async function mapBounded<T, R>(
  ctx: Pick<Context, 'signal'>,
  limit: number,
  items: readonly T[],
  task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const failures: unknown[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length && failures.length === 0) {
      const index = next;
      next += 1;
      try {
        ctx.signal.throwIfAborted();
        results[index] = await task(items[index] as T, index);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  const workers = Math.min(Math.max(1, limit), items.length);
  await Promise.all(Array.from({ length: workers }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}
