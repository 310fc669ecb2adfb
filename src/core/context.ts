import { setMaxListeners } from 'node:events';
import type { AtollEvent } from './events.ts';

/**
 * What a function needs to touch the world: a way to be stopped, a way to tell, and the time.
 * A function that does not take a `Context` is pure.
 */
export interface Context {
  readonly signal: AbortSignal;
  readonly emit: (event: AtollEvent) => void;
  readonly now: () => Date;
}

/** A context that nobody listens to: for tests and for small tools. */
export function silentContext(overrides: Partial<Context> = {}): Context {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return {
    signal,
    emit: () => undefined,
    now: () => new Date(),
    ...overrides,
  };
}

/** A context whose events are kept, for tests that assert on them. */
export function recordingContext(
  overrides: Partial<Context> = {},
): Context & { readonly events: AtollEvent[] } {
  const events: AtollEvent[] = [];
  return { ...silentContext(overrides), emit: (event) => events.push(event), events };
}
