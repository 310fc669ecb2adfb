import type { Context } from './context.ts';
import { counted } from './format.ts';

/** Often enough for a bar that moves, rare enough for a journal. */
const TICK_MS = 250;

export interface ProgressTask {
  readonly id: string;
  readonly title: string;
  readonly totalItems?: number;
  readonly totalBytes?: number;
  /** What is worth knowing while it goes on. */
  readonly note?: string | undefined;
}

/** Counts bytes and items and tells of them a few times a second. */
export class Progress {
  readonly #ctx: Context;
  readonly #task: ProgressTask;
  readonly #start = performance.now();
  #totalBytes: number | undefined;
  #doneBytes = 0;
  #doneItems = 0;
  #lastTick = Number.NEGATIVE_INFINITY;
  /** Something has changed since it was told. */
  #isNews = false;

  constructor(ctx: Context, task: ProgressTask) {
    this.#ctx = ctx;
    this.#task = task;
    const { id, note, ...totals } = task;
    this.#totalBytes = task.totalBytes;
    ctx.emit({ type: 'task.started', task: id, ...totals });
  }

  addBytes(bytes: number): void {
    this.#doneBytes += bytes;
    this.#tick();
  }

  /** These need not move after all: to count them as moved would make the rate a lie. */
  needNot(bytes: number): void {
    if (this.#totalBytes !== undefined) this.#totalBytes -= bytes;
    this.#tick();
  }

  addItem(): void {
    this.#doneItems += 1;
    this.#tick();
  }

  /** Ends the task; with images that failed it has failed. */
  finish(summary: string, failed = 0): void {
    if (this.#isNews) this.#tell();
    const durationMs = Math.round(performance.now() - this.#start);
    const task = { task: this.#task.id, title: this.#task.title };
    if (failed === 0) this.#ctx.emit({ type: 'task.finished', ...task, summary, durationMs });
    else {
      const message = `${counted(failed, 'image')} failed, ${summary}`;
      this.#ctx.emit({ type: 'task.failed', ...task, message });
    }
  }

  #tick(): void {
    this.#isNews = true;
    const now = performance.now();
    if (now - this.#lastTick < TICK_MS) return;
    this.#lastTick = now;
    this.#tell();
  }

  #tell(): void {
    this.#isNews = false;
    const { id: task, totalItems, note } = this.#task;
    const totalBytes = this.#totalBytes;
    this.#ctx.emit({
      type: 'task.progressed',
      task,
      ...(totalItems === undefined ? {} : { doneItems: this.#doneItems, totalItems }),
      ...(totalBytes === undefined ? {} : { doneBytes: this.#doneBytes, totalBytes }),
      ...(note === undefined ? {} : { note }),
    });
  }
}
