import type { Context } from './context.ts';
import { counted } from './format.ts';

/** Often enough for a bar that moves, rare enough for a journal. */
const TICK_MS = 250;

export interface ProgressTask {
  readonly id: string;
  readonly title: string;
  readonly totalItems?: number;
  readonly totalBytes?: number;
}

/** Counts bytes and items and tells of them a few times a second. */
export class Progress {
  readonly #ctx: Context;
  readonly #task: ProgressTask;
  readonly #start = performance.now();
  #doneBytes = 0;
  #doneItems = 0;
  #lastTick = 0;

  constructor(ctx: Context, task: ProgressTask) {
    this.#ctx = ctx;
    this.#task = task;
    const { id, ...totals } = task;
    ctx.emit({ type: 'task.started', task: id, ...totals });
  }

  addBytes(bytes: number): void {
    this.#doneBytes += bytes;
    this.#tick();
  }

  addItem(): void {
    this.#doneItems += 1;
    this.#tick();
  }

  /** Ends the task; with images that failed it has failed. */
  finish(summary: string, failed = 0): void {
    const durationMs = Math.round(performance.now() - this.#start);
    const task = { task: this.#task.id, title: this.#task.title };
    if (failed === 0) this.#ctx.emit({ type: 'task.finished', ...task, summary, durationMs });
    else {
      const message = `${counted(failed, 'image')} failed, ${summary}`;
      this.#ctx.emit({ type: 'task.failed', ...task, message });
    }
  }

  #tick(): void {
    const now = performance.now();
    if (now - this.#lastTick < TICK_MS) return;
    this.#lastTick = now;
    const { id: task, totalItems, totalBytes } = this.#task;
    this.#ctx.emit({
      type: 'task.progressed',
      task,
      ...(totalItems === undefined ? {} : { doneItems: this.#doneItems, totalItems }),
      ...(totalBytes === undefined ? {} : { doneBytes: this.#doneBytes, totalBytes }),
    });
  }
}
