import { expect, test } from 'vitest';
import type { AtollEvent } from '../../core/events.ts';
import { fractionOf, rateOf, remainingMs, type Task, withEvent } from './tasks.ts';

function fold(...events: readonly [atMs: number, event: AtollEvent][]): ReadonlyMap<string, Task> {
  return events.reduce<ReadonlyMap<string, Task>>(
    (tasks, [atMs, event]) => withEvent(tasks, event, atMs),
    new Map(),
  );
}

const started: AtollEvent = { type: 'task.started', task: 'a', title: 'A', totalBytes: 1000 };
const progressed = (doneBytes: number): AtollEvent => ({
  type: 'task.progressed',
  task: 'a',
  doneBytes,
});

test('withEvent keeps totals that a later event does not repeat', () => {
  const task = fold([0, started], [1000, progressed(250)]).get('a');

  expect(task).toMatchObject({ title: 'A', doneBytes: 250, totalBytes: 1000 });
});

test('withEvent forgets a task that finished or failed, and ignores one it does not know', () => {
  const finished: AtollEvent = { type: 'task.finished', task: 'a', title: 'A' };
  const failed: AtollEvent = { type: 'task.failed', task: 'a', title: 'A', message: 'gone' };

  expect(fold([0, started], [1, finished]).size).toBe(0);
  expect(fold([0, started], [1, failed]).size).toBe(0);
  expect(fold([0, progressed(1)]).size).toBe(0);
});

test('rateOf and remainingMs follow the last seconds, not the whole run', () => {
  const early = fold([0, started], [250, progressed(1)]).get('a') as Task;
  const task = fold([0, started], [20_000, progressed(100)], [21_000, progressed(200)]).get(
    'a',
  ) as Task;

  expect(rateOf(early)).toBeUndefined();
  expect(remainingMs(early)).toBeUndefined();
  expect(rateOf(task)).toBe(100);
  expect(remainingMs(task)).toBe(8000);
});

test('fractionOf uses bytes where they are known, else items', () => {
  const byItems: AtollEvent = { type: 'task.started', task: 'b', title: 'B', totalItems: 4 };
  const oneDone: AtollEvent = { type: 'task.progressed', task: 'b', doneItems: 1 };

  expect(fractionOf(fold([0, started], [1, progressed(500)]).get('a') as Task)).toBe(0.5);
  expect(fractionOf(fold([0, byItems], [1, oneDone]).get('b') as Task)).toBe(0.25);
  expect(fractionOf(fold([0, started], [1, progressed(5000)]).get('a') as Task)).toBe(1);
});
