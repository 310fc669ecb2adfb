import type { CopyGroup } from './copy-repositories.ts';
import type { CopyOptions } from './job.ts';

interface Limits {
  /** Blobs under way at one registry or store. */
  readonly blobs: number;
  /** Images that are planned at once. */
  readonly plans: number;
}

const NEARBY: Limits = { blobs: 12, plans: 8 };
const DISTANT: Limits = { blobs: 16, plans: 64 };
/** The quickest answer of a registry in the same building takes less than this. */
const DISTANT_MS = 15;
/** A first answer includes lookup, connection and login: so many round trips, and some work. */
const FIRST_TRIPS = 4;
const FIRST_WORK_MS = 30;

type ConcurrencyOptions = Pick<CopyOptions, 'concurrency' | 'limiter'>;

/** How much may run at once: little where answers are quick, more where waiting dominates. */
export class Concurrency {
  readonly #options: ConcurrencyOptions;
  readonly #quickestMs = new Map<string, number>();
  readonly #now: () => number;
  #limits = NEARBY;
  /** Called when the limits may have changed. */
  onChange: () => void = () => undefined;

  /** `now` in milliseconds; tests bring their own. */
  constructor(options: ConcurrencyOptions, now = () => performance.now()) {
    this.#options = options;
    this.#now = now;
  }

  /** Runs a request and remembers how long the registry took to answer. */
  async timed<T>({ name }: CopyGroup, request: () => Promise<T>): Promise<T> {
    const isFirst = !this.#quickestMs.has(name);
    const start = this.#now();
    const result = await request();
    this.#note(name, this.#now() - start, isFirst);
    return result;
  }

  /** Notes the latency of a request that was sent elsewhere. */
  took({ name }: CopyGroup, tookMs: number): void {
    this.#note(name, tookMs, !this.#quickestMs.has(name));
  }

  #note(name: string, ms: number, isFirst: boolean): void {
    const tookMs = isFirst ? (ms - FIRST_WORK_MS) / FIRST_TRIPS : ms;
    if (tookMs >= (this.#quickestMs.get(name) ?? Number.POSITIVE_INFINITY)) return;
    this.#quickestMs.set(name, tookMs);
    const isDistant = [...this.#quickestMs.values()].some((ms) => ms > DISTANT_MS);
    this.#limits = isDistant ? DISTANT : NEARBY;
    this.onChange();
  }

  /** Blobs that may be under way at one registry or store at this moment. */
  limitOf({ kind, name }: CopyGroup): number {
    const bears = kind === 'registry' ? this.#options.limiter?.(name).limit : undefined;
    const limit = this.#options.concurrency ?? this.#limits.blobs;
    return Math.min(limit, bears ?? Number.POSITIVE_INFINITY);
  }

  /** Images that may be planned at once. */
  get planLimit(): number {
    return this.#limits.plans;
  }
}
