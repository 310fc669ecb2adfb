import type { ServerResponse } from 'node:http';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { verified } from '../../oci/verify.ts';
import type { Exchange } from '../exchange.ts';
import { WireError } from '../wire-error.ts';
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
  // A part can only be cut out of what is here; and one download of a blob at a time is enough.
  if (request.headers.range !== undefined || upstream.isFetching(`blob ${digest}`)) {
    await fetchBlob(exchange, upstream, repository, blob);
    return false;
  }
  request.socket.setTimeout(service.limits.idleMs);
  const relay = relayTo(exchange.response, blob);
  await fetchBlob(exchange, upstream, repository, blob, relay);
  relay.finish();
  return true;
}

async function fetchBlob(
  { service }: Exchange,
  upstream: PullThrough,
  repository: string,
  blob: Descriptor,
  relay?: Relay,
): Promise<void> {
  const { ctx, store } = service;
  const chunks = () => {
    const source = upstream.repository(repository).blob(ctx, blob);
    return relay ? relay.pass(source) : source;
  };
  await upstream.once(`blob ${blob.digest}`, async () => {
    try {
      const room = await service.space.require(blob.size).then(
        () => true,
        () => false,
      );
      if (room) await store.blobs.write(ctx, blob, chunks());
      else if (relay) for await (const _ of verified(blob, chunks()));
      else throw new WireError('DENIED', 'The disk of this cache is full', { status: 507 });
    } catch (error) {
      throw upstreamError(error, blob.digest);
    }
  });
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
    if (!response.headersSent) response.writeHead(200, headersOf(digest as Digest, size));
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
      if (!response.headersSent) response.writeHead(200, headersOf(digest as Digest, size));
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
