import type { ServerResponse } from 'node:http';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { verified } from '../../oci/verify.ts';
import type { Exchange, Service } from '../serving/exchange.ts';
import { diskFull } from '../serving/wire-error.ts';
import { type PullThrough, upstreamError } from './pull-through.ts';

const OCTETS = 'application/octet-stream';

/**
 * Brings a blob into the cache. True when the client has been answered on the way; false when the
 * blob is here now and can be served as any other.
 */
export async function cacheBlob(
  exchange: Exchange,
  repository: string,
  digest: Digest,
): Promise<boolean> {
  const { service, request } = exchange;
  const { ctx, store, links, upstream } = service;
  const link = await links.blobs.get(ctx, repository, digest);
  if (!upstream || !link || (await store.blobs.stat(ctx, digest))) return false;
  service.metrics.count('cache_misses');
  exchange.entry.digest = digest;
  if (request.method === 'HEAD') {
    exchange.response.writeHead(200, headersOf(digest, link.size));
    exchange.response.end();
    return true;
  }
  const blob = { digest, size: link.size, mediaType: OCTETS };
  const isPart = request.headers.range !== undefined;
  const room = await hasRoom(service, blob);
  if (!room && isPart) throw diskFull('The disk of this cache is full');
  // A part can only be cut out of what is here; and one download of a blob at a time is enough.
  if (room && (isPart || upstream.isFetching(blob.digest))) {
    await fetchBlob(exchange, upstream, repository, blob);
    return false;
  }
  request.socket.setTimeout(service.limits.idleMs);
  const relay = relayTo(exchange.response, blob);
  if (room) await fetchBlob(exchange, upstream, repository, blob, relay);
  else await passBlob(exchange, upstream, repository, blob, relay);
  relay.finish();
  return true;
}

const hasRoom = ({ space }: Service, { size }: Descriptor) =>
  space.require(size).then(
    () => true,
    () => false,
  );

async function fetchBlob(
  { service }: Exchange,
  upstream: PullThrough,
  repository: string,
  blob: Descriptor,
  relay?: Relay,
): Promise<void> {
  const { ctx, store } = service;
  await upstream.once(blob.digest, async () => {
    try {
      const source = upstream.repository(repository).blob(ctx, blob);
      await store.blobs.write(ctx, blob, relay ? relay.pass(source) : source);
    } catch (error) {
      throw upstreamError(error, blob.digest);
    }
  });
}

/** Where nothing can be kept, everybody fetches it for themselves. */
async function passBlob(
  { service }: Exchange,
  upstream: PullThrough,
  repository: string,
  blob: Descriptor,
  relay: Relay,
): Promise<void> {
  try {
    const source = upstream.repository(repository).blob(service.ctx, blob);
    for await (const _ of verified(blob, relay.pass(source)));
  } catch (error) {
    throw upstreamError(error, blob.digest);
  }
}

/** Sends a client what passes by, except the last chunk, which waits until all is verified. */
interface Relay {
  pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  finish(): void;
}

function relayTo(response: ServerResponse, { digest, size }: Descriptor): Relay {
  let held: Uint8Array | undefined;
  const send = async (chunk: Uint8Array) => {
    if (response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, headersOf(digest, size));
    if (!response.write(chunk)) await drainedOrGone(response);
  };
  return {
    async *pass(chunks) {
      for await (const chunk of chunks) {
        if (held) await send(held);
        // The store owns the chunk after this; what waits here has to be a copy.
        held = Uint8Array.from(chunk);
        yield chunk;
      }
    },
    finish() {
      if (response.destroyed) return;
      if (!response.headersSent) response.writeHead(200, headersOf(digest, size));
      response.end(held);
    },
  };
}

/** A client that leaves does not stop the download: the next one will want it. */
function drainedOrGone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function headersOf(digest: Digest, size: number): string[] {
  const entries = {
    'content-type': OCTETS,
    'docker-content-digest': digest,
    etag: `"${digest}"`,
    'accept-ranges': 'bytes',
    'content-length': String(size),
  };
  return Object.entries(entries).flat();
}
