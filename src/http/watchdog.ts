export interface WatchdogTimes {
  readonly stallTimeoutMs: number;
  readonly answerTimeoutMs: number;
}

/** What is expected of the peer: `nothing` while the delay is our own, `rest` between requests. */
export type Owed = 'nothing' | 'bytes' | 'answer' | 'rest';

/** A body that moves fewer bytes than this in one stall time is not moving. */
const LEAST_BYTES = 1024;

/** The peer let us wait for too long. */
export class StallError extends Error {
  override readonly name = 'StallError';
}

/**
 * Ends an exchange whose peer stays silent or drips, and a connection that nobody uses. Checks now
 * and then, costs nothing between: one timer goes on over many exchanges.
 */
export class Watchdog {
  readonly #times: WatchdogTimes;
  readonly #bark: (error: StallError) => void;
  #timer: NodeJS.Timeout | undefined;
  #owed: Owed = 'nothing';
  #restMs = 0;
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
    this.#start(Math.min(stallTimeoutMs, answerTimeoutMs));
  }

  /** The connection is idle; after `ms` it is closed. */
  rest(ms: number): void {
    this.#restMs = ms;
    this.expect('rest');
  }

  moved(bytes: number): void {
    this.#moved += bytes;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#owed = 'nothing';
  }

  #start(ms: number): void {
    this.#timer ??= setTimeout(() => this.#check(), ms).unref();
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
    else this.#start(this.#window() - (performance.now() - this.#since));
  }

  #window(): number {
    if (this.#owed === 'rest') return this.#restMs;
    const { stallTimeoutMs, answerTimeoutMs } = this.#times;
    return this.#owed === 'answer' ? answerTimeoutMs : stallTimeoutMs;
  }

  #late(elapsedMs: number): string | undefined {
    const window = this.#window();
    if (elapsedMs < window) return undefined;
    if (this.#owed === 'rest') return `not used for ${window} ms`;
    if (this.#owed === 'answer') return `no answer within ${window} ms`;
    if (this.#moved < LEAST_BYTES) return `no data for ${window} ms`;
    this.#reset();
    return undefined;
  }
}
