import type { Context } from './context.ts';
import { AtollError, isTransient, messageOf } from './errors.ts';
import { onAbort } from './on-abort.ts';

/** How often and how long apart a failure that may pass is tried again. One object is handed down. */
export interface RetryPolicy {
  /** Tries, the first included. */
  readonly attempts: number;
  /** The delay after the first failure; it doubles with each one after that. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A longer `Retry-After` is cut to this. */
  readonly maxRetryAfterMs: number;
  /** Tries of content that arrived damaged, the first included: it rarely heals. */
  readonly mismatchAttempts: number;
  /** Times a copy takes up an image, the first included: images that failed are tried again together. */
  readonly rounds: number;
  /** Repositories that are asked for a blob, one after the other. */
  readonly sources: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 5,
  firstDelayMs: 500,
  maxDelayMs: 30_000,
  maxRetryAfterMs: 60_000,
  mismatchAttempts: 2,
  rounds: 2,
  sources: 3,
};

/** One attempt: where the user waits for the answer, or the caller asks again by itself. */
export const NO_RETRY: Pick<RetryPolicy, 'attempts'> = { attempts: 1 };

/** A machine that boots for the first time takes minutes until it answers. */
export const FIRST_BOOT_RETRY: Partial<RetryPolicy> = {
  attempts: 40,
  firstDelayMs: 5000,
  maxDelayMs: 15_000,
};

export interface RetryOptions extends Partial<RetryPolicy> {
  /** What is being tried, for the event of each failed attempt. */
  readonly operation: string;
  /** Whether so much was won that this failure counts as the first one again. */
  readonly hasProgressed?: () => boolean;
  /** Whether this failure cannot be mended by another attempt, though its code may be transient. */
  readonly isFinal?: (error: unknown) => boolean;
  /** Replaces the random part, for tests. Returns a number in [0, 1). */
  readonly random?: () => number;
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
  const policy = { ...DEFAULT_RETRY, ...options };
  let mismatches = 0;
  for (let count = 1; ; count += 1) {
    ctx.signal.throwIfAborted();
    try {
      return await attempt(count);
    } catch (error) {
      if (isMismatch(error)) mismatches += 1;
      if (options.hasProgressed?.()) count = 1;
      const isUsedUp = count >= policy.attempts || mismatches >= policy.mismatchAttempts;
      if (isUsedUp || !mayPass(ctx, options, error)) throw error;
      const delayMs = delayAfter(error, count, policy);
      const { operation } = options;
      attemptFailed(ctx, { operation, attempt: count, attempts: policy.attempts, delayMs }, error);
      await sleep(ctx, delayMs);
    }
  }
}

function mayPass(ctx: Context, options: RetryOptions, error: unknown): boolean {
  return isTransient(error) && !options.isFinal?.(error) && !ctx.signal.aborted;
}

const isMismatch = (error: unknown): boolean =>
  error instanceof AtollError && error.code === 'CONTENT_MISMATCH';

/** An error may carry `retryAfterMs` in its details when the server said how long to wait. */
function delayAfter(
  error: unknown,
  count: number,
  { firstDelayMs, maxDelayMs, maxRetryAfterMs, random = Math.random }: RetryPolicy & RetryOptions,
): number {
  const said = error instanceof AtollError ? error.details.retryAfterMs : undefined;
  if (typeof said === 'number') return Math.round(Math.min(said, maxRetryAfterMs));
  const backoff = Math.min(maxDelayMs, firstDelayMs * 2 ** (count - 1));
  return Math.round(backoff * (0.5 + random() / 2));
}

export interface FailedAttempt {
  readonly operation: string;
  readonly attempt: number;
  readonly attempts: number;
  readonly delayMs: number;
}

/** Tells of an attempt that failed while another one follows. */
export function attemptFailed(ctx: Pick<Context, 'emit'>, failed: FailedAttempt, error: unknown) {
  const code = error instanceof AtollError ? { code: error.code } : {};
  ctx.emit({ type: 'attempt.failed', ...failed, ...code, message: messageOf(error) });
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
