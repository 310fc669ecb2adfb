import { expect, onTestFinished, test, vi } from 'vitest';
import { recordingContext } from './context.ts';
import { Progress } from './progress.ts';

/** Time that passes only when the test says so. */
function still(): void {
  vi.useFakeTimers({ toFake: ['performance'], now: 0 });
  vi.advanceTimersByTime(10_000);
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

test('Progress tells how far it is, a few times a second at most', () => {
  still();
  const ctx = recordingContext();
  const progress = new Progress(ctx, { id: 't', title: 'Copy', totalItems: 2, totalBytes: 30 });

  progress.addBytes(10);
  progress.addBytes(5);
  progress.addItem();
  vi.advanceTimersByTime(1000);
  progress.addItem();
  progress.finish('2 images');

  const task = { task: 't', title: 'Copy' };
  expect(ctx.events).toEqual([
    { type: 'task.started', ...task, totalItems: 2, totalBytes: 30 },
    {
      type: 'task.progressed',
      task: 't',
      doneItems: 0,
      totalItems: 2,
      doneBytes: 10,
      totalBytes: 30,
    },
    {
      type: 'task.progressed',
      task: 't',
      doneItems: 2,
      totalItems: 2,
      doneBytes: 15,
      totalBytes: 30,
    },
    { type: 'task.finished', ...task, summary: '2 images', durationMs: 1000 },
  ]);
});

test('Progress tells of the first thing at once, also in a process that has just begun', () => {
  vi.useFakeTimers({ toFake: ['performance'], now: 0 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const ctx = recordingContext();

  new Progress(ctx, { id: 't', title: 'Copy', totalItems: 2 }).addItem();

  expect(ctx.events.at(-1)).toMatchObject({ type: 'task.progressed', doneItems: 1 });
});

test('Progress counts only what has a total', () => {
  still();
  const items = recordingContext();
  const bytes = recordingContext();

  new Progress(items, { id: 't', title: 'Check', totalItems: 3 }).addItem();
  new Progress(bytes, { id: 't', title: 'Check', totalBytes: 9 }).addBytes(4);

  expect(items.events[1]).toEqual({
    type: 'task.progressed',
    task: 't',
    doneItems: 1,
    totalItems: 3,
  });
  expect(bytes.events[1]).toEqual({
    type: 'task.progressed',
    task: 't',
    doneBytes: 4,
    totalBytes: 9,
  });
});

test('Progress has failed when something in it has', () => {
  const ctx = recordingContext();

  new Progress(ctx, { id: 't', title: 'Copy' }).finish('3 copied', 2);

  expect(ctx.events.at(-1)).toEqual({
    type: 'task.failed',
    task: 't',
    title: 'Copy',
    message: '2 images failed, 3 copied',
  });
});
