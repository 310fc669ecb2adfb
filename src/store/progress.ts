import type { Context } from '../core/context.ts';

const SAMPLE_MS = 200;

export interface Progress {
  /** Counts, and tells about it now and then. */
  add(bytes: number, items: number): void;
  finish(summary: string): void;
}

export interface Work {
  readonly task: string;
  readonly title: string;
  readonly totalBytes: number;
  readonly totalItems: number;
}

/** Reports long work over content as events, a few times per second at most. */
export function startProgress(ctx: Context, work: Work): Progress {
  const started = ctx.now().getTime();
  let told = started;
  let doneBytes = 0;
  let doneItems = 0;
  const { task, title, totalBytes, totalItems } = work;
  ctx.emit({ type: 'task.started', ...work });
  return {
    add(bytes, items) {
      doneBytes += bytes;
      doneItems += items;
      const now = ctx.now().getTime();
      if (now - told < SAMPLE_MS) return;
      told = now;
      ctx.emit({ type: 'task.progressed', task, doneBytes, totalBytes, doneItems, totalItems });
    },
    finish(summary) {
      const durationMs = ctx.now().getTime() - started;
      ctx.emit({ type: 'task.finished', task, title, summary, durationMs });
    },
  };
}
