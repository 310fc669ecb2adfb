import type { Context } from '../../core/context.ts';

interface Waiting {
  readonly groups: readonly string[];
  readonly size: number;
  readonly start: () => void;
  readonly cancel: (reason: unknown) => void;
}

/**
 * Turns for blobs. A blob needs a turn at every registry it touches; of those that can start, the
 * biggest does, so that none of them is left alone at the end.
 */
export class Slots {
  readonly #limitOf: (group: string) => number;
  readonly #active = new Map<string, number>();
  /** Biggest first; of equal ones, who came first. */
  readonly #waiting: Waiting[] = [];

  constructor(ctx: Pick<Context, 'signal'>, limitOf: (group: string) => number) {
    this.#limitOf = limitOf;
    ctx.signal.addEventListener('abort', () => {
      for (const { cancel } of this.#waiting.splice(0)) cancel(ctx.signal.reason);
    });
  }

  async run<T>(groups: readonly string[], size: number, task: () => Promise<T>): Promise<T> {
    await this.#turn(groups, size);
    try {
      return await task();
    } finally {
      this.#count(groups, -1);
      this.#startWaiting();
    }
  }

  #turn(groups: readonly string[], size: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = { groups, size, start: resolve, cancel: reject };
      this.#waiting.splice(this.#positionFor(size), 0, waiting);
      this.#startWaiting();
    });
  }

  #positionFor(size: number): number {
    let low = 0;
    let high = this.#waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#waiting[middle]?.size ?? 0) >= size) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #startWaiting(): void {
    // Looked up once for the whole list, which may be long.
    const free = new Map<string, number>();
    for (let index = 0; index < this.#waiting.length; ) {
      const next = this.#waiting[index];
      if (!next?.groups.every((group) => this.#freeIn(free, group) > 0)) {
        index += 1;
        continue;
      }
      this.#waiting.splice(index, 1);
      this.#count(next.groups, 1);
      free.clear();
      next.start();
    }
  }

  #freeIn(known: Map<string, number>, group: string): number {
    const found = known.get(group);
    if (found !== undefined) return found;
    const free = this.#limitOf(group) - (this.#active.get(group) ?? 0);
    known.set(group, free);
    return free;
  }

  #count(groups: readonly string[], by: number): void {
    for (const group of new Set(groups)) {
      this.#active.set(group, (this.#active.get(group) ?? 0) + by);
    }
  }
}
