import type { Context } from './context.ts';
import { sleep } from './retry.ts';

/** Keeps the sum of what many take below a rate. */
export interface Pacer {
  /** Undefined where no wait is needed. */
  take(ctx: Context, bytes: number): Promise<void> | undefined;
}

/** Shorter waits than this are saved up: timers are not that exact. */
const WORTH_WAITING_MS = 5;

export function createPacer(bytesPerSecond: number | undefined): Pacer {
  let free = 0;
  return {
    take(ctx, bytes) {
      if (bytesPerSecond === undefined) return undefined;
      const now = performance.now();
      free = Math.max(free, now) + (bytes / bytesPerSecond) * 1000;
      const wait = free - now;
      return wait > WORTH_WAITING_MS ? sleep(ctx, wait) : undefined;
    },
  };
}
