import type { IncomingMessage } from 'node:http';
import { countReceived } from './memory.ts';
import { WireError } from './wire-error.ts';

const MAX_QUEUED_BYTES = 1024 * 1024;

/** The client hung up or fell silent before the body was whole: there is no one to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/**
 * The bytes of a request as they come. Cheaper than the stream's own iterator: chunks that are
 * already here are handed over without a turn of the event loop.
 */
export function receiveBody(request: IncomingMessage): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => bodyIterator(request) };
}

function bodyIterator(request: IncomingMessage): AsyncIterator<Uint8Array> {
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let ended = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;

  const changed = () => {
    wake?.();
    wake = undefined;
  };
  const onData = (chunk: Uint8Array) => {
    queue.push(chunk);
    queuedBytes += chunk.length;
    countReceived(chunk.length);
    if (queuedBytes > MAX_QUEUED_BYTES) request.pause();
    changed();
  };
  const onEnd = () => {
    ended = true;
    changed();
  };
  const onGone = () => {
    if (!ended) failure ??= new ClientGone('The client closed the connection during the upload');
    changed();
  };
  request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  // Also when all of it had come: what nobody has read before is gone with the connection.
  if (request.destroyed && !request.readableEnded) onGone();

  function take(): IteratorResult<Uint8Array> {
    const value = queue.shift() as Uint8Array;
    queuedBytes -= value.length;
    if (queuedBytes <= MAX_QUEUED_BYTES && request.isPaused()) request.resume();
    return { done: false, value };
  }

  return {
    async next() {
      while (true) {
        if (queue.length > 0) return take();
        if (failure) throw failure;
        if (ended) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      // The rest of the body is discarded, so that the connection can be used again.
      queue = [];
      request.off('data', onData).off('end', onEnd).off('close', onGone);
      request.resume();
      return { done: true, value: undefined };
    },
  };
}

/** A small body, whole. More than `maxBytes` is refused as soon as it is known. */
export async function receiveWhole(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of receiveBody(request)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): WireError {
  return new WireError('SIZE_INVALID', `More than ${maxBytes} bytes are not accepted here`, {
    status: 413,
  });
}
