/** Callbacks by signal. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal aborts, unless the returned function is called before. One listener
 * serves all who wait for the same signal: to add and remove one for each request is slow.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = waiting.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(signal, callbacks);
  const tellAll = () => {
    for (const callback of callbacks) callback();
    callbacks.clear();
  };
  signal.addEventListener('abort', tellAll, { once: true });
  return callbacks;
}

/** For servers: resolves when the run is to end. */
export function untilAborted({ signal }: { readonly signal: AbortSignal }): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
