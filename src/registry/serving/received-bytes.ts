import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'minor' }) => void;

const EVERY_BYTES = 8 * 1024 * 1024;

/**
 * Node makes a new buffer for everything it reads from a socket, and V8 lets 64 MB of dead ones
 * pile up before it looks for them, because the objects that hold them are tiny. A quick look after
 * every 8 MB keeps a process that takes uploads at half the memory; it takes half a millisecond.
 * V8 also takes those buffers for growth of its old objects, of which there are few, and would look
 * through all of them as often: that costs as much as the hashing. It may wait until they are three
 * times as many.
 */
function createCounter(): (bytes: number) => void {
  let collect: Collect | undefined;
  let sinceLast = 0;
  return (bytes) => {
    sinceLast += bytes;
    if (sinceLast < EVERY_BYTES) return;
    sinceLast = 0;
    collect ??= exposeCollect();
    collect({ type: 'minor' });
  };
}

function exposeCollect(): Collect {
  setFlagsFromString('--heap-growing-percent=200');
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

/** To be told of every piece of a request body. One counter, since memory is one per process. */
export const countReceived = createCounter();
