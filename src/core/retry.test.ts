import { expect, test, vi } from 'vitest';
import { recordingContext, silentContext } from './context.ts';
import { AtollError } from './errors.ts';
import { type RetryOptions, retry, sleep } from './retry.ts';

const unavailable = (details = {}) =>
  new AtollError('REGISTRY_UNAVAILABLE', 'Cannot reach "m"', { details });

/** Runs a retry on a fake clock and returns the delays it announced. */
async function delaysOf(options: Partial<RetryOptions>, error: () => Error): Promise<number[]> {
  vi.useFakeTimers();
  try {
    const ctx = recordingContext();
    const done = retry(ctx, { operation: 'get', ...options }, async () => {
      throw error();
    }).catch(() => undefined);
    await vi.runAllTimersAsync();
    await done;
    return ctx.events.flatMap((event) => (event.type === 'attempt.failed' ? event.delayMs : []));
  } finally {
    vi.useRealTimers();
  }
}

test('retry returns the first success and tells it which attempt it is', async () => {
  const ctx = recordingContext();
  const attempts: number[] = [];

  const result = await retry(ctx, { operation: 'get', firstDelayMs: 0 }, async (attempt) => {
    attempts.push(attempt);
    if (attempt < 3) throw unavailable();
    return 'here';
  });

  expect(result).toBe('here');
  expect(attempts).toEqual([1, 2, 3]);
  expect(ctx.events).toHaveLength(2);
  expect(ctx.events[0]).toMatchObject({
    type: 'attempt.failed',
    operation: 'get',
    attempt: 1,
    attempts: 5,
    code: 'REGISTRY_UNAVAILABLE',
    message: 'Cannot reach "m"',
  });
});

test('retry throws the last error when the attempts are used up', async () => {
  let count = 0;
  const options = { operation: 'get', attempts: 2, firstDelayMs: 0 };

  const failing = retry(silentContext(), options, async () => {
    count += 1;
    throw unavailable({ count });
  });

  await expect(failing).rejects.toMatchObject({ details: { count: 2 } });
});

test('retry does not try again what cannot get better', async () => {
  for (const error of [new AtollError('REGISTRY_DENIED', 'No'), new TypeError('bug')]) {
    const attempt = vi.fn(async () => {
      throw error;
    });

    await expect(retry(silentContext(), { operation: 'get' }, attempt)).rejects.toBe(error);
    expect(attempt).toHaveBeenCalledTimes(1);
  }
});

test('retry waits twice as long each time, up to the maximum', async () => {
  const options = { attempts: 7, firstDelayMs: 100, maxDelayMs: 1000, random: () => 1 };

  expect(await delaysOf(options, unavailable)).toEqual([100, 200, 400, 800, 1000, 1000]);
});

test('retry spreads its waits between half and all of the delay', async () => {
  const shortest = await delaysOf({ attempts: 3, firstDelayMs: 100, random: () => 0 }, unavailable);
  const some = await delaysOf({ attempts: 20, firstDelayMs: 1000, maxDelayMs: 1000 }, unavailable);

  expect(shortest).toEqual([50, 100]);
  expect(Math.min(...some)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...some)).toBeLessThanOrEqual(1000);
  expect(new Set(some).size).toBeGreaterThan(1);
});

test('retry waits as long as the server said, longer or shorter than it would have, up to the cap', async () => {
  const waits = (retryAfterMs: number, options: Partial<RetryOptions> = {}) =>
    delaysOf({ attempts: 2, ...options }, () => unavailable({ retryAfterMs }));

  expect(await waits(45_000)).toEqual([45_000]);
  expect(await waits(90_000)).toEqual([60_000]);
  expect(await waits(90_000, { maxRetryAfterMs: 90_000 })).toEqual([90_000]);
  expect(await waits(0)).toEqual([0]);
});

test('retry counts from one again after an attempt that got further', async () => {
  const ctx = recordingContext();
  let runs = 0;
  const failing = retry(
    ctx,
    { operation: 'get', attempts: 2, firstDelayMs: 0, hasProgressed: () => runs < 6 },
    async () => {
      runs += 1;
      throw unavailable();
    },
  );

  await expect(failing).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  expect(runs).toBe(6);
  expect(ctx.events).toMatchObject(Array.from({ length: 5 }, () => ({ attempt: 1, attempts: 2 })));
});

test('retry gives damaged content fewer attempts than a server that is away', async () => {
  const options = { operation: 'get', attempts: 5, firstDelayMs: 0, mismatchAttempts: 2 };
  let runs = 0;
  const failing = retry(silentContext(), options, async () => {
    runs += 1;
    throw runs === 1 ? unavailable() : new AtollError('CONTENT_MISMATCH', 'other bytes');
  });

  await expect(failing).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  expect(runs).toBe(3);
});

test('retry stops at a failure that the caller calls final', async () => {
  const attempt = vi.fn(() => Promise.reject(unavailable()));

  const failing = retry(silentContext(), { operation: 'put', isFinal: () => true }, attempt);

  await expect(failing).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
  expect(attempt).toHaveBeenCalledTimes(1);
});

test('retry stops waiting as soon as the signal aborts, with its reason', async () => {
  const controller = new AbortController();
  const reason = new AtollError('INTERRUPTED', 'Stopped');
  const emit = () => controller.abort(reason);
  const ctx = silentContext({ signal: controller.signal, emit });

  const waiting = retry(ctx, { operation: 'get', firstDelayMs: 3_600_000 }, async () => {
    throw unavailable();
  });

  await expect(waiting).rejects.toBe(reason);
});

test('retry does not start when the signal has aborted', async () => {
  const attempt = vi.fn(async () => 'never');
  const ctx = silentContext({ signal: AbortSignal.abort(new Error('stopped')) });

  await expect(retry(ctx, { operation: 'get' }, attempt)).rejects.toThrow('stopped');
  expect(attempt).not.toHaveBeenCalled();
});

test('sleep adds no listener to a signal that has one', async () => {
  const { signal } = new AbortController();
  const add = vi.spyOn(signal, 'addEventListener');

  await sleep({ signal }, 0);
  await sleep({ signal }, 0);

  expect(add).toHaveBeenCalledTimes(1);
});
