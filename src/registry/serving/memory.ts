import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

/** Long enough for the sockets of those who have just read to be closed. */
const QUIET_MS = 1000;
const RECEIVED_BYTES = 8 * 1024 * 1024;

let collect: Collect | undefined;
let waits = false;
let received = 0;

/**
 * Gives the memory of a rush back when it is over: a process that idles collects nothing by itself.
 * Measured, as is what it is worth for uploads: docs/adr/0017-garbage-collection.md.
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

/**
 * To be told of every piece of a request body. Node makes a new buffer for everything it reads from
 * a socket; V8 lets dead ones pile up, since the objects that hold them are tiny, and then takes
 * them for growth of its old objects and looks through all of those: that costs as much as the
 * hashing. A quick look at the young ones after every 8 MB takes half a millisecond.
 */
export function countReceived(bytes: number): void {
  received += bytes;
  if (received < RECEIVED_BYTES) return;
  received = 0;
  collect ??= exposeCollect();
  collect({ type: 'minor' });
}

function exposeCollect(): Collect {
  setFlagsFromString('--heap-growing-percent=200');
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
