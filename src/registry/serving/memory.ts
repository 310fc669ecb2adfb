import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Long enough for the sockets of those who have just read to be closed. */
const QUIET_MS = 1000;

let collect: (() => void) | undefined;
let waits = false;

/**
 * Gives the memory of a rush back when it is over: a process that idles collects nothing by itself.
 * Measured, as is what flags for uploads were worth: docs/adr/0017-garbage-collection.md.
 */
export function collectSoon(): void {
  if (waits) return;
  waits = true;
  setTimeout(() => {
    waits = false;
    collect ??= exposeCollect();
    collect();
  }, QUIET_MS).unref();
}

function exposeCollect(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
