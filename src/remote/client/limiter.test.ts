import { expect, test } from 'vitest';
import { silentContext } from '../../core/context.ts';
import { createLimiter } from './limiter.ts';

const ctx = silentContext();

test('createLimiter admits no more than its limit and lets the next one in', async () => {
  const limiter = createLimiter(2);
  const [first] = [await limiter.admit(ctx), await limiter.admit(ctx)];
  let admitted = false;
  const third = limiter.admit(ctx).then((release) => {
    admitted = true;
    release();
  });
  await Promise.resolve();

  expect([limiter.active, admitted]).toEqual([2, false]);
  first();
  first();
  await third;

  expect([limiter.active, admitted]).toEqual([1, true]);
});

test('createLimiter halves on a throttle and grows back one by one', () => {
  const limiter = createLimiter(8);

  limiter.throttled(0);
  limiter.throttled(0);
  expect(limiter.limit).toBe(2);
  for (let i = 0; i < 2; i += 1) limiter.succeeded();
  expect(limiter.limit).toBe(3);
  for (let i = 0; i < 100; i += 1) limiter.succeeded();
  expect(limiter.limit).toBe(8);
});

test('createLimiter lets go of a caller that was stopped', async () => {
  const limiter = createLimiter(1);
  const release = await limiter.admit(ctx);
  const controller = new AbortController();
  const waiting = limiter.admit({ signal: controller.signal });

  controller.abort(new Error('stop'));

  await expect(waiting).rejects.toThrow('stop');
  release();
  expect(limiter.active).toBe(0);
});
