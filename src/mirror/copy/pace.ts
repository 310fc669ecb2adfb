import type { CopyOptions } from './job.ts';

const NEAR = { blobs: 12, plans: 8 };
const FAR = { blobs: 16, plans: 64 };
/** The quickest answer of a registry in the same building takes less than this. */
const FAR_MS = 15;
/** Before a registry's first answer it has to be found: so many times there and back, and some work. */
const FIRST_TRIPS = 4;
const FIRST_WORK_MS = 30;

/** How many blobs may be under way: few where answers are quick, more where waiting dominates. */
export class Pace {
  readonly #options: Pick<CopyOptions, 'concurrency' | 'limiter'>;
  readonly #quickestMs = new Map<string, number>();
  readonly #found = new Set<string>();
  #isFar = false;
  /** Called when the bounds may have changed. */
  onChange: () => void = () => undefined;

  readonly #now: () => number;

  /** `now` in milliseconds; tests bring their own. */
  constructor(
    options: Pick<CopyOptions, 'concurrency' | 'limiter'>,
    now = () => performance.now(),
  ) {
    this.#options = options;
    this.#now = now;
  }

  /** Does the work and remembers how long it took the registry to answer. */
  async timed<T>(group: string, work: () => Promise<T>): Promise<T> {
    const isFirst = !this.#found.has(group);
    const start = this.#now();
    const result = await work();
    const tookMs = this.#now() - start;
    this.#found.add(group);
    this.#note(group, isFirst ? (tookMs - FIRST_WORK_MS) / FIRST_TRIPS : tookMs);
    return result;
  }

  #note(group: string, tookMs: number): void {
    if (tookMs >= (this.#quickestMs.get(group) ?? Number.POSITIVE_INFINITY)) return;
    this.#quickestMs.set(group, tookMs);
    this.#isFar = [...this.#quickestMs.values()].some((ms) => ms > FAR_MS);
    this.onChange();
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
