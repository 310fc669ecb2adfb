import { expect, test } from 'vitest';
import { silentContext } from '../../core/context.ts';
import { TransferQueue } from './transfer-queue.ts';

const registry = (name: string) => ({ kind: 'registry', name }) as const;

/** Work that ends when told to. */
function held() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { task: () => ended, end };
}

test('TransferQueue starts the biggest transfer that waits', async () => {
  const queue = new TransferQueue(silentContext(), () => 1);
  const first = held();
  const order: number[] = [];
  const running = queue.run([registry('a')], 1, first.task);
  const others = [2, 9, 5, 9].map((size) =>
    queue.run([registry('a')], size, async () => {
      order.push(size);
    }),
  );

  first.end();
  await Promise.all([running, ...others]);

  expect(order).toEqual([9, 9, 5, 2]);
});

test('TransferQueue lets one slow registry hold up only what touches it', async () => {
  const queue = new TransferQueue(silentContext(), ({ name }) => (name === 'slow' ? 1 : 4));
  const slow = held();
  const running = queue.run([registry('slow'), registry('target')], 100, slow.task);
  const waiting = queue.run([registry('slow'), registry('target')], 90, async () => 'second');

  expect(await queue.run([registry('quick'), registry('target')], 1, async () => 'through')).toBe(
    'through',
  );

  slow.end();
  await running;
  expect(await waiting).toBe('second');
});

test('TransferQueue gives the turn back when the work fails', async () => {
  const queue = new TransferQueue(silentContext(), () => 1);

  await expect(
    queue.run([registry('a')], 1, () => Promise.reject(new Error('no'))),
  ).rejects.toThrow('no');

  expect(await queue.run([registry('a')], 1, async () => 'next')).toBe('next');
});

test('TransferQueue rejects what waits when the run is stopped', async () => {
  const stop = new AbortController();
  const queue = new TransferQueue(silentContext({ signal: stop.signal }), () => 1);
  const first = held();
  const running = queue.run([registry('a')], 1, first.task);
  const waiting = queue.run([registry('a')], 1, async () => undefined);

  stop.abort(new Error('stopped'));

  await expect(waiting).rejects.toThrow('stopped');
  first.end();
  await running;
});
