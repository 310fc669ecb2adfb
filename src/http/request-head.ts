import { ProtocolError } from './response-head.ts';
import type { ServerRoute } from './server-route.ts';
import { proxyAuthorization } from './tunnel.ts';

interface HeadParts {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

const FORBIDDEN = /[\r\n\0]/;
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH']);
const OURS = 'user-agent: atoll\r\naccept-encoding: identity\r\n';

/** The head of a request as it goes over the wire; absolute form where a proxy reads it. */
export function requestHead(
  route: ServerRoute,
  { method, url, headers }: HeadParts,
  length: number | undefined,
): string {
  const proxy = route.tls ? undefined : route.proxy;
  const authorization = proxy && proxyAuthorization(proxy);
  const size = length ?? (BODY_METHODS.has(method) ? 0 : undefined);
  const path = `${proxy ? url.origin : ''}${url.pathname}${url.search}`;
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${OURS}`;
  if (authorization) head += line('proxy-authorization', authorization);
  if (size !== undefined) head += line('content-length', String(size));
  for (const name in headers) head += line(name, headers[name] ?? '');
  return `${head}\r\n`;
}

function line(name: string, value: string): string {
  if (FORBIDDEN.test(value)) throw new ProtocolError(`the header ${name} holds a line break`);
  return `${name}: ${value}\r\n`;
}
