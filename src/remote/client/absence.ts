import { metNobody } from '../../http/network-error.ts';

/** How long nobody else tries what was tried several times in vain. */
const ABSENT_MS = 30_000;

/**
 * Whether a registry was never there. A run of a thousand images would otherwise wait for each of
 * them as long as for the first; who once was there is waited for again and again.
 */
export class Absence {
  #noted: { readonly error: unknown; readonly until: number } | undefined;
  #wasThere = false;

  get isKnown(): boolean {
    return this.#noted !== undefined && performance.now() < this.#noted.until;
  }

  /** Why the first who tried gave up. */
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
