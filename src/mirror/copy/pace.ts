import type { CopyOptions } from './job.ts';

const NEAR = { blobs: 8, plans: 8 };
const FAR = { blobs: 16, plans: 32 };
/** The quickest answer of a registry in the same building takes less than this. */
const FAR_MS = 15;

/** How many blobs may be under way: few where answers are quick, more where waiting dominates. */
export class Pace {
  readonly #options: Pick<CopyOptions, 'concurrency' | 'limiter'>;
  readonly #quickestMs = new Map<string, number>();
  #isFar = false;

  constructor(options: Pick<CopyOptions, 'concurrency' | 'limiter'>) {
    this.#options = options;
  }

  /** Does the work and remembers how long it took the registry to answer. */
  async timed<T>(group: string, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work();
    const took = performance.now() - start;
    const quickest = this.#quickestMs.get(group) ?? Number.POSITIVE_INFINITY;
    if (took < quickest) {
      this.#quickestMs.set(group, took);
      this.#isFar = [...this.#quickestMs.values()].some((ms) => ms > FAR_MS);
    }
    return result;
  }

  /** The bound for one registry or store at this moment. */
  limitOf(group: string): number {
    const bears = this.#isRegistry(group) ? this.#options.limiter?.(group).limit : undefined;
    const bound = this.#options.concurrency ?? this.#pace.blobs;
    return Math.min(bound, bears ?? Number.POSITIVE_INFINITY);
  }

  /** How many images may be looked at at once. */
  get planLimit(): number {
    return this.#pace.plans;
  }

  get #pace(): typeof NEAR {
    return this.#isFar ? FAR : NEAR;
  }

  #isRegistry(group: string): boolean {
    return !group.startsWith('local-');
  }
}
