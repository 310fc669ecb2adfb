import type { AtollEvent, EventOf } from '../../core/events.ts';

/** Rates are measured over this much of the past. */
const WINDOW_MS = 10_000;
/** The first bytes come slowly, and would promise days. */
const EARLY_MS = 1000;

interface Sample {
  readonly atMs: number;
  readonly doneBytes: number;
}

/** Work under way, as the events so far tell it. */
export interface Task {
  readonly title: string;
  readonly doneBytes: number | undefined;
  readonly totalBytes: number | undefined;
  readonly doneItems: number | undefined;
  readonly totalItems: number | undefined;
  readonly note: string | undefined;
  readonly samples: readonly Sample[];
}

/** The tasks after one more event. The order is that in which they started. */
export function withEvent(
  tasks: ReadonlyMap<string, Task>,
  event: AtollEvent,
  atMs: number,
): ReadonlyMap<string, Task> {
  if (event.type === 'task.started') return new Map(tasks).set(event.task, started(event, atMs));
  if (event.type === 'task.progressed') return withProgress(tasks, event, atMs);
  if (event.type !== 'task.finished' && event.type !== 'task.failed') return tasks;
  const left = new Map(tasks);
  left.delete(event.task);
  return left;
}

function started(event: EventOf<'task.started'>, atMs: number): Task {
  return {
    title: event.title,
    doneBytes: undefined,
    totalBytes: event.totalBytes,
    doneItems: undefined,
    totalItems: event.totalItems,
    note: undefined,
    samples: [{ atMs, doneBytes: 0 }],
  };
}

function withProgress(
  tasks: ReadonlyMap<string, Task>,
  event: EventOf<'task.progressed'>,
  atMs: number,
): ReadonlyMap<string, Task> {
  const task = tasks.get(event.task);
  if (!task) return tasks;
  return new Map(tasks).set(event.task, {
    title: task.title,
    doneBytes: event.doneBytes ?? task.doneBytes,
    totalBytes: event.totalBytes ?? task.totalBytes,
    doneItems: event.doneItems ?? task.doneItems,
    totalItems: event.totalItems ?? task.totalItems,
    note: event.note ?? task.note,
    samples: sampled(task.samples, event.doneBytes, atMs),
  });
}

function sampled(
  samples: readonly Sample[],
  doneBytes: number | undefined,
  atMs: number,
): readonly Sample[] {
  if (doneBytes === undefined) return samples;
  const recent = samples.filter((sample) => atMs - sample.atMs <= WINDOW_MS);
  return [...recent, { atMs, doneBytes }];
}

/** Bytes per second of late, or undefined while it is too early to say. */
export function rateOf(task: Task): number | undefined {
  const first = task.samples[0];
  const last = task.samples.at(-1);
  if (!first || !last || last.atMs - first.atMs < EARLY_MS) return undefined;
  return ((last.doneBytes - first.doneBytes) * 1000) / (last.atMs - first.atMs);
}

/** Milliseconds that are left at the present rate, where that can be known. */
export function remainingMs(task: Task): number | undefined {
  const rate = rateOf(task);
  if (!rate || task.totalBytes === undefined || task.doneBytes === undefined) return undefined;
  return Math.max(0, ((task.totalBytes - task.doneBytes) * 1000) / rate);
}

/** Between 0 and 1: by bytes where they are known, else by items. */
export function fractionOf(task: Task): number | undefined {
  const byBytes = ratio(task.doneBytes, task.totalBytes);
  return byBytes ?? ratio(task.doneItems, task.totalItems);
}

function ratio(done: number | undefined, total: number | undefined): number | undefined {
  if (total === undefined || total <= 0) return undefined;
  return Math.min(1, (done ?? 0) / total);
}
