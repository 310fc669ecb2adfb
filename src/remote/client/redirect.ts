import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Response } from '../../http/response.ts';
import type { Transport } from '../../http/transport.ts';

/** Where a request goes next, and where it has been. */
export interface Redirected {
  readonly url: URL;
  readonly method: string;
  readonly seen: readonly string[];
}

const MOST_HOPS = 10;
const STATUSES = new Set([301, 302, 303, 307, 308]);

export function isRedirect(response: Response): boolean {
  return STATUSES.has(response.status) && response.headers.location !== undefined;
}

/** One step along a redirect; loops, long chains and steps down to plain HTTP are refused. */
export function nextHop(
  registry: string,
  response: Response,
  hop: Redirected,
  isInsecure: (host: string) => boolean,
): Redirected {
  const location = response.headers.location ?? '';
  if (!URL.canParse(location, hop.url.href)) throw refused(registry, 'to no valid address');
  const url = new URL(location, hop.url);
  const seen = [...hop.seen, `${hop.method} ${hop.url.href}`];
  // 303 turns a POST into a GET, and by long custom so do 301 and 302.
  const rewrites = response.status === 303 || (response.status < 303 && hop.method === 'POST');
  const method = rewrites && hop.method !== 'HEAD' ? 'GET' : hop.method;
  if (!/^https?:$/.test(url.protocol)) throw refused(registry, `to "${url.protocol}"`);
  if (seen.includes(`${method} ${url.href}`)) throw refused(registry, `in a loop at ${url.host}`);
  if (seen.length > MOST_HOPS) throw refused(registry, `more than ${MOST_HOPS} times`);
  if (hop.url.protocol === 'https:' && url.protocol === 'http:' && !isInsecure(url.host)) {
    throw refused(registry, `from TLS to plain HTTP at ${url.host}`);
  }
  return { url, method, seen };
}

function refused(registry: string, where: string): AtollError {
  return new AtollError('REGISTRY_REFUSED', `Cannot follow ${registry}: it redirects ${where}`, {
    hint: `Look into the configuration of ${registry} and of the proxies before it`,
    details: { registry },
  });
}

interface RedirectPolicy {
  readonly registry: string;
  readonly transport: Transport;
  readonly isInsecure: (host: string) => boolean;
}

interface Get {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** A GET that follows redirects; credentials are sent only to the origin that was asked first. */
export async function follow(
  ctx: Context,
  policy: RedirectPolicy,
  { url, headers }: Get,
): Promise<Response> {
  const { authorization: _secret, ...withoutSecret } = headers;
  let hop: Redirected = { url, method: 'GET', seen: [] };
  for (;;) {
    const response = await policy.transport.send(ctx, {
      method: 'GET',
      url: hop.url,
      headers: hop.url.origin === url.origin ? headers : withoutSecret,
      registry: policy.registry,
      verify: !policy.isInsecure(hop.url.host),
    });
    if (!isRedirect(response)) return response;
    await response.discard();
    hop = nextHop(policy.registry, response, hop, policy.isInsecure);
  }
}
