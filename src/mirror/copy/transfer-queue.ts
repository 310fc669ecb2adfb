import type { Context } from '../../core/context.ts';
import type { CopyGroup } from './copy-repositories.ts';

interface Waiting {
  readonly groups: readonly CopyGroup[];
  readonly size: number;
  /** Of equal sizes the first to arrive is first. */
  readonly order: number;
  readonly start: () => void;
  readonly cancel: (reason: unknown) => void;
}

/**
 * Bounds the transfers at each registry. A transfer counts at every registry it touches; of those that
 * can start, the biggest does, so that no big one runs alone at the end.
 */
export class TransferQueue {
  readonly #limitOf: (group: CopyGroup) => number;
  readonly #active = new Map<string, number>();
  /** Transfers between the same registries wait in one line, biggest first. */
  readonly #lines = new Map<string, Waiting[]>();
  #arrivals = 0;

  constructor(ctx: Pick<Context, 'signal'>, limitOf: (group: CopyGroup) => number) {
    this.#limitOf = limitOf;
    ctx.signal.addEventListener('abort', () => {
      const all = [...this.#lines.values()].flat();
      this.#lines.clear();
      for (const { cancel } of all) cancel(ctx.signal.reason);
    });
  }

  async run<T>(groups: readonly CopyGroup[], size: number, task: () => Promise<T>): Promise<T> {
    await this.#turn(groups, size);
    try {
      return await task();
    } finally {
      this.#count(groups, -1);
      this.#startWaiting();
    }
  }

  #turn(groups: readonly CopyGroup[], size: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#arrivals += 1;
      const waiting = { groups, size, order: this.#arrivals, start: resolve, cancel: reject };
      const key = groups.map(({ name }) => name).join(' ');
      const line = this.#lines.get(key) ?? [];
      line.splice(positionIn(line, waiting), 0, waiting);
      this.#lines.set(key, line);
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    for (let line = this.#bestLine(); line; line = this.#bestLine()) {
      const next = line.shift();
      if (!next) return;
      this.#count(next.groups, 1);
      next.start();
    }
  }

  /** The line whose first transfer can start and is the biggest of those. */
  #bestLine(): Waiting[] | undefined {
    let best: Waiting[] | undefined;
    for (const line of this.#lines.values()) {
      const [first] = line;
      if (!first?.groups.every((group) => this.#hasRoom(group))) continue;
      if (!best?.[0] || isBefore(first, best[0])) best = line;
    }
    return best;
  }

  #hasRoom(group: CopyGroup): boolean {
    return (this.#active.get(group.name) ?? 0) < this.#limitOf(group);
  }

  #count(groups: readonly CopyGroup[], by: number): void {
    for (const name of new Set(groups.map((group) => group.name))) {
      this.#active.set(name, (this.#active.get(name) ?? 0) + by);
    }
  }
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.size > b.size || (a.size === b.size && a.order < b.order);
}

function positionIn(line: readonly Waiting[], waiting: Waiting): number {
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = line[middle];
    if (other && isBefore(other, waiting)) low = middle + 1;
    else high = middle;
  }
  return low;
}
