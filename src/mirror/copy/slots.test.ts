import { expect, test } from 'vitest';
import { silentContext } from '../../core/context.ts';
import { Slots } from './slots.ts';

/** Work that ends when told to. */
function held() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { task: () => ended, end };
}

test('Slots starts the biggest of those that wait', async () => {
  const slots = new Slots(silentContext(), () => 1);
  const first = held();
  const order: number[] = [];
  const running = slots.run(['a'], 1, first.task);
  const others = [2, 9, 5, 9].map((size) =>
    slots.run(['a'], size, async () => {
      order.push(size);
    }),
  );

  first.end();
  await Promise.all([running, ...others]);

  expect(order).toEqual([9, 9, 5, 2]);
});

test('Slots lets one slow registry hold up only what touches it', async () => {
  const slots = new Slots(silentContext(), (group) => (group === 'slow' ? 1 : 4));
  const slow = held();
  const running = slots.run(['slow', 'target'], 100, slow.task);
  const waiting = slots.run(['slow', 'target'], 90, async () => 'second');

  expect(await slots.run(['quick', 'target'], 1, async () => 'through')).toBe('through');

  slow.end();
  await running;
  expect(await waiting).toBe('second');
});

test('Slots gives the turn back when the work fails', async () => {
  const slots = new Slots(silentContext(), () => 1);

  await expect(slots.run(['a'], 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');

  expect(await slots.run(['a'], 1, async () => 'next')).toBe('next');
});

test('Slots sends away who waits when the run is stopped', async () => {
  const stop = new AbortController();
  const slots = new Slots(silentContext({ signal: stop.signal }), () => 1);
  const first = held();
  const running = slots.run(['a'], 1, first.task);
  const waiting = slots.run(['a'], 1, async () => undefined);

  stop.abort(new Error('stopped'));

  await expect(waiting).rejects.toThrow('stopped');
  first.end();
  await running;
});
