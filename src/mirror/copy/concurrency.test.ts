import { expect, test } from 'vitest';
import { createLimiter } from '../../remote/client/limiter.ts';
import { Concurrency } from './concurrency.ts';

const registry = (name: string) => ({ kind: 'registry', name }) as const;

/** Time that passes only when work says so. */
function clock() {
  let now = 0;
  const work = (ms: number) => async () => {
    now += ms;
  };
  return { now: () => now, work };
}

test('Concurrency allows more at once where answers come from far away', async () => {
  const { now, work } = clock();
  const concurrency = new Concurrency({}, now);
  const near = { plans: concurrency.planLimit, blobs: concurrency.limitOf(registry('far.test')) };
  let changes = 0;
  concurrency.onChange = () => {
    changes += 1;
  };

  await concurrency.timed(registry('far.test'), work(200));

  expect(concurrency.planLimit).toBeGreaterThan(near.plans);
  expect(concurrency.limitOf(registry('far.test'))).toBeGreaterThan(near.blobs);
  expect(changes).toBe(1);
});

test('Concurrency keeps several blobs and images under way also where answers are quick', () => {
  const concurrency = new Concurrency({});

  // Fewer leave the disk and the network waiting for each other; the benchmarks set the numbers.
  expect(concurrency.limitOf(registry('near.test'))).toBeGreaterThanOrEqual(8);
  expect(concurrency.planLimit).toBeGreaterThanOrEqual(8);
});

test('Concurrency does not take finding a registry for a long way there', async () => {
  const { now, work } = clock();
  const concurrency = new Concurrency({}, now);
  const near = concurrency.planLimit;

  await concurrency.timed(registry('near.test'), work(80));
  await concurrency.timed(registry('near.test'), work(1));

  expect(concurrency.planLimit).toBe(near);
});

test('Concurrency never goes beyond what was asked for or what the registry bears', () => {
  const limiter = createLimiter(32);
  const concurrency = new Concurrency({ concurrency: 12, limiter: () => limiter });

  expect(concurrency.limitOf(registry('quay.io'))).toBe(12);
  limiter.throttled(0);
  limiter.throttled(0);
  expect(concurrency.limitOf(registry('quay.io'))).toBe(8);
  expect(concurrency.limitOf({ kind: 'local', name: 'store 1' })).toBe(12);
});
