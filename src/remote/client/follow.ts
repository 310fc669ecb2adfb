import type { Context } from '../../core/context.ts';
import type { Response } from '../../http/response.ts';
import type { Transport } from '../../http/transport.ts';
import { isRedirect, nextHop, type Redirected } from './redirect.ts';

interface Way {
  readonly registry: string;
  readonly transport: Transport;
  readonly isInsecure: (host: string) => boolean;
}

interface Get {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** A GET that goes wherever it is sent; credentials stay at the origin it was meant for. */
export async function follow(ctx: Context, way: Way, { url, headers }: Get): Promise<Response> {
  const { authorization: _secret, ...open } = headers;
  let hop: Redirected = { url, method: 'GET', seen: [] };
  for (;;) {
    const response = await way.transport.send(ctx, {
      method: 'GET',
      url: hop.url,
      headers: hop.url.origin === url.origin ? headers : open,
      registry: way.registry,
      verify: !way.isInsecure(hop.url.host),
    });
    if (!isRedirect(response)) return response;
    await response.discard();
    hop = nextHop(way.registry, response, hop, way.isInsecure);
  }
}
