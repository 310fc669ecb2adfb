export interface WatchdogTimes {
  readonly stallTimeoutMs: number;
  readonly answerTimeoutMs: number;
}

/** What the peer owes us right now. `nothing` while the delay is our own. */
export type Owed = 'nothing' | 'bytes' | 'answer';

/** A body that moves fewer bytes than this in one stall time is not moving. */
const LEAST_BYTES = 1024;

/** The peer let us wait for too long. */
export class StallError extends Error {
  override readonly name = 'StallError';
}

/** Ends an exchange whose peer stays silent or drips. Checks now and then, costs nothing between. */
export class Watchdog {
  readonly #times: WatchdogTimes;
  readonly #bark: (error: StallError) => void;
  #timer: NodeJS.Timeout | undefined;
  #owed: Owed = 'nothing';
  #since = 0;
  #moved = 0;

  constructor(times: WatchdogTimes, bark: (error: StallError) => void) {
    this.#times = times;
    this.#bark = bark;
  }

  expect(owed: Owed): void {
    if (owed === this.#owed) return;
    this.#owed = owed;
    this.#reset();
    if (owed === 'nothing') return;
    const { stallTimeoutMs, answerTimeoutMs } = this.#times;
    const period = Math.min(stallTimeoutMs, answerTimeoutMs);
    this.#timer ??= setTimeout(() => this.#check(), period).unref();
  }

  moved(bytes: number): void {
    this.#moved += bytes;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#owed = 'nothing';
  }

  #reset(): void {
    this.#since = performance.now();
    this.#moved = 0;
  }

  #check(): void {
    this.#timer = undefined;
    if (this.#owed === 'nothing') return;
    const late = this.#late(performance.now() - this.#since);
    if (late) this.#bark(new StallError(late));
    else this.#timer = setTimeout(() => this.#check(), this.#wait()).unref();
  }

  /** Until the running window is over; a window that began after the timer was set is given its time. */
  #wait(): number {
    const { stallTimeoutMs, answerTimeoutMs } = this.#times;
    const window = this.#owed === 'answer' ? answerTimeoutMs : stallTimeoutMs;
    return Math.max(1, window - (performance.now() - this.#since));
  }

  #late(elapsedMs: number): string | undefined {
    const { stallTimeoutMs, answerTimeoutMs } = this.#times;
    if (this.#owed === 'answer') {
      return elapsedMs >= answerTimeoutMs ? `no answer within ${answerTimeoutMs} ms` : undefined;
    }
    if (elapsedMs < stallTimeoutMs) return undefined;
    if (this.#moved < LEAST_BYTES) return `no data for ${stallTimeoutMs} ms`;
    this.#reset();
    return undefined;
  }
}
