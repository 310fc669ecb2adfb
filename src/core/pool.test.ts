import { expect, test } from 'vitest';
import { silentContext } from './context.ts';
import { createPool, mapBounded } from './pool.ts';

/** A promise that the test settles. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Lets everything that is ready run. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('createPool never runs more than its bound, and runs all', async () => {
  const pool = createPool(silentContext(), 3);
  let most = 0;

  const results = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      pool.run(`key-${index % 4}`, async () => {
        most = Math.max(most, pool.active);
        await turn();
        return index;
      }),
    ),
  );

  expect(most).toBe(3);
  expect(results).toEqual(Array.from({ length: 50 }, (_, index) => index));
  expect(pool.active).toBe(0);
});

test('createPool lets keys take turns, and keeps the order within each', async () => {
  const pool = createPool(silentContext(), 1);
  const order: string[] = [];
  const { opened, open } = gate();
  const first = pool.run('busy', () => opened);

  const rest = ['busy', 'busy', 'busy', 'quiet', 'quiet', 'other'].map((key, index) =>
    pool.run(key, async () => {
      order.push(`${key}-${index}`);
    }),
  );
  open();
  await Promise.all([first, ...rest]);

  expect(order).toEqual(['busy-0', 'quiet-3', 'other-5', 'busy-1', 'quiet-4', 'busy-2']);
});

test('createPool goes on after a task that failed, also one that threw at once', async () => {
  const pool = createPool(silentContext(), 1);
  const thrown = pool.run('a', () => {
    throw new Error('at once');
  });
  const rejected = pool.run('a', async () => {
    throw new Error('later');
  });

  await expect(thrown).rejects.toThrow('at once');
  await expect(rejected).rejects.toThrow('later');
  await expect(pool.run('a', async () => 'fine')).resolves.toBe('fine');
  expect(pool.active).toBe(0);
});

test('createPool rejects what waits when the signal aborts; what runs may finish', async () => {
  const controller = new AbortController();
  const pool = createPool({ signal: controller.signal }, 1);
  const { opened, open } = gate();
  const running = pool.run('a', async () => {
    await opened;
    return 'finished';
  });
  const waiting = pool.run('a', async () => 'never');

  controller.abort(new Error('stopped'));
  open();

  await expect(waiting).rejects.toThrow('stopped');
  await expect(running).resolves.toBe('finished');
  await expect(pool.run('a', async () => 'never')).rejects.toThrow('stopped');
});

test('createPool grows and shrinks while it runs', async () => {
  const pool = createPool(silentContext(), 1);
  const gates = Array.from({ length: 4 }, gate);
  const all = gates.map(({ opened }, index) => pool.run(`${index}`, () => opened));
  expect(pool.active).toBe(1);

  pool.resize(3);
  expect([pool.limit, pool.active]).toEqual([3, 3]);
  pool.resize(0);
  gates[0]?.open();
  await turn();

  expect([pool.limit, pool.active]).toEqual([1, 2]);
  for (const { open } of gates) open();
  await Promise.all(all);
});

test('mapBounded keeps the order of the items and its bound', async () => {
  let active = 0;
  let most = 0;

  const results = await mapBounded(silentContext(), 4, [...'abcdefghij'], async (letter, index) => {
    active += 1;
    most = Math.max(most, active);
    for (let turns = index % 3; turns >= 0; turns -= 1) await turn();
    active -= 1;
    return letter.toUpperCase();
  });

  expect(results.join('')).toBe('ABCDEFGHIJ');
  expect(most).toBe(4);
});

test('mapBounded starts nothing new after a failure, and waits for what runs', async () => {
  const started: number[] = [];
  const ended: number[] = [];

  const failing = mapBounded(silentContext(), 2, [0, 1, 2, 3, 4], async (item) => {
    started.push(item);
    if (item === 0) throw new Error('broken');
    await turn();
    ended.push(item);
  });

  await expect(failing).rejects.toThrow('broken');
  expect([started, ended]).toEqual([[0, 1], [1]]);
});

test('mapBounded runs with a bound of nothing, over nothing, and not after an abort', async () => {
  const aborted = { signal: AbortSignal.abort(new Error('stopped')) };

  expect(await mapBounded(silentContext(), 0, [1, 2], async (item) => item * 2)).toEqual([2, 4]);
  expect(await mapBounded(silentContext(), 4, [], async () => 1)).toEqual([]);
  await expect(mapBounded(aborted, 1, [1], async () => 1)).rejects.toThrow('stopped');
});
