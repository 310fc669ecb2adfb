import { expect, test } from 'vitest';
import { createLimiter } from '../../remote/client/limiter.ts';
import { Pace } from './pace.ts';

/** Time that passes only when work says so. */
function clock() {
  let now = 0;
  const work = (ms: number) => async () => {
    now += ms;
  };
  return { now: () => now, work };
}

test('Pace allows more at once where answers come from far away', async () => {
  const { now, work } = clock();
  const pace = new Pace({}, now);
  const near = { plans: pace.planLimit, blobs: pace.limitOf('far.test') };
  let changes = 0;
  pace.onChange = () => {
    changes += 1;
  };

  await pace.timed('far.test', work(200));

  expect(pace.planLimit).toBeGreaterThan(near.plans);
  expect(pace.limitOf('far.test')).toBeGreaterThan(near.blobs);
  expect(changes).toBe(1);
});

test('Pace does not take finding a registry for a long way there', async () => {
  const { now, work } = clock();
  const pace = new Pace({}, now);
  const near = pace.planLimit;

  await pace.timed('near.test', work(80));
  await pace.timed('near.test', work(1));

  expect(pace.planLimit).toBe(near);
});

test('Pace never goes beyond what was asked for or what the registry bears', () => {
  const limiter = createLimiter(32);
  const pace = new Pace({ concurrency: 12, limiter: () => limiter });

  expect(pace.limitOf('quay.io')).toBe(12);
  limiter.throttled(0);
  limiter.throttled(0);
  expect(pace.limitOf('quay.io')).toBe(8);
  expect(pace.limitOf('local-1')).toBe(12);
});
