import type { Context } from '../../core/context.ts';
import { counted } from '../../core/format.ts';

/** Often enough for a bar that moves, rare enough for a journal. */
const TICK_MS = 250;

/** Counts bytes and images and tells of them a few times a second. */
export class Progress {
  readonly #ctx: Context;
  readonly #task: string;
  readonly #title: string;
  readonly #start = performance.now();
  #doneBytes = 0;
  #doneItems = 0;
  #lastTick = 0;

  readonly #totalBytes: number | undefined;
  readonly #totalItems: number;

  constructor(
    ctx: Context,
    task: { id: string; title: string; totalItems: number; totalBytes?: number },
  ) {
    this.#ctx = ctx;
    this.#task = task.id;
    this.#title = task.title;
    this.#totalBytes = task.totalBytes;
    this.#totalItems = task.totalItems;
    const bytes = task.totalBytes === undefined ? {} : { totalBytes: task.totalBytes };
    ctx.emit({
      type: 'task.started',
      task: task.id,
      title: task.title,
      totalItems: task.totalItems,
      ...bytes,
    });
  }

  addBytes(bytes: number): void {
    this.#doneBytes += bytes;
    this.#tick();
  }

  addItem(): void {
    this.#doneItems += 1;
    this.#tick();
  }

  /** The end; with images that failed it is no good one. */
  finish(summary: string, failed = 0): void {
    const durationMs = Math.round(performance.now() - this.#start);
    const task = { task: this.#task, title: this.#title };
    if (failed === 0) {
      this.#ctx.emit({ type: 'task.finished', ...task, summary, durationMs });
      return;
    }
    const message = `${counted(failed, 'image')} failed, ${summary}`;
    this.#ctx.emit({ type: 'task.failed', ...task, message });
  }

  #tick(): void {
    const now = performance.now();
    if (now - this.#lastTick < TICK_MS) return;
    this.#lastTick = now;
    const bytes =
      this.#totalBytes === undefined
        ? {}
        : { doneBytes: this.#doneBytes, totalBytes: this.#totalBytes };
    this.#ctx.emit({
      type: 'task.progressed',
      task: this.#task,
      doneItems: this.#doneItems,
      totalItems: this.#totalItems,
      ...bytes,
    });
  }
}
