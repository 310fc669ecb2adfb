import { metNobody } from '../../http/network-error.ts';

/** How long requests fail at once after all attempts of one failed to connect. */
const ABSENT_MS = 30_000;

/**
 * Remembers a registry that never answered, so that a run of a thousand images waits for it once and
 * not a thousand times. A registry that has answered before is always retried.
 */
export class Absence {
  #noted: { readonly error: unknown; readonly until: number } | undefined;
  #wasThere = false;

  get isKnown(): boolean {
    return this.#noted !== undefined && performance.now() < this.#noted.until;
  }

  /** The error of the request that gave up. */
  get error(): unknown {
    return this.#noted?.error;
  }

  note(error: unknown): void {
    if (!metNobody(error) || this.#wasThere || this.isKnown) return;
    this.#noted = { error, until: performance.now() + ABSENT_MS };
  }

  end(): void {
    this.#wasThere = true;
    this.#noted = undefined;
  }
}
