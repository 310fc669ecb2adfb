import type { Context } from './context.ts';
import { AtollError, isTransient, messageOf } from './errors.ts';
import { onAbort } from './on-abort.ts';

export interface RetryOptions {
  /** What is being tried, for the event of each failed attempt. */
  readonly operation: string;
  readonly attempts?: number;
  readonly firstDelayMs?: number;
  readonly maxDelayMs?: number;
  /** Replaces the random part, for tests. Returns a number in [0, 1). */
  readonly random?: () => number;
}

/** An error may carry `retryAfterMs` in its details when the server said how long to wait. */
function serverDelayMs(error: unknown): number | undefined {
  const delay = error instanceof AtollError ? error.details.retryAfterMs : undefined;
  return typeof delay === 'number' ? delay : undefined;
}

/**
 * The one retry: exponential with jitter, for transient errors only. The server's own
 * `Retry-After` wins over our delay. Stops at once when the signal aborts.
 */
export async function retry<T>(
  ctx: Context,
  options: RetryOptions,
  attempt: (attempt: number) => Promise<T>,
): Promise<T> {
  const { attempts = 5, firstDelayMs = 500, maxDelayMs = 30_000, random = Math.random } = options;

  for (let count = 1; ; count += 1) {
    ctx.signal.throwIfAborted();
    try {
      return await attempt(count);
    } catch (error) {
      if (count >= attempts || !isTransient(error) || ctx.signal.aborted) throw error;
      const backoff = Math.min(maxDelayMs, firstDelayMs * 2 ** (count - 1));
      const delayMs = Math.round(serverDelayMs(error) ?? backoff * (0.5 + random() / 2));
      ctx.emit({
        type: 'attempt.failed',
        operation: options.operation,
        attempt: count,
        attempts,
        delayMs,
        ...(error instanceof AtollError ? { code: error.code } : {}),
        message: messageOf(error),
      });
      await sleep(ctx, delayMs);
    }
  }
}

/** Waits, and throws the signal's reason as soon as it aborts. */
export function sleep(ctx: Pick<Context, 'signal'>, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (ctx.signal.aborted) return reject(ctx.signal.reason);
    const timer = setTimeout(() => {
      stopWaiting();
      resolve();
    }, ms);
    const stopWaiting = onAbort(ctx.signal, () => {
      clearTimeout(timer);
      reject(ctx.signal.reason);
    });
  });
}
