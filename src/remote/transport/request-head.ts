import type { Endpoint } from './endpoint.ts';
import { ProtocolError } from './response-head.ts';
import { proxyAuthorization } from './tunnel.ts';

interface HeadParts {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

const FORBIDDEN = /[\r\n\0]/;
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH']);
const USER_AGENT = 'atoll';

/** The head of a request as it goes over the wire; absolute form where a proxy reads it. */
export function requestHead(
  endpoint: Endpoint,
  { method, url, headers }: HeadParts,
  length: number | undefined,
): string {
  const proxy = endpoint.tls ? undefined : endpoint.proxy;
  const authorization = proxy && proxyAuthorization(proxy);
  const size = length ?? (BODY_METHODS.has(method) ? 0 : undefined);
  const all: Record<string, string> = {
    host: url.host,
    'user-agent': USER_AGENT,
    'accept-encoding': 'identity',
    ...(authorization ? { 'proxy-authorization': authorization } : {}),
    ...(size === undefined ? {} : { 'content-length': String(size) }),
    ...headers,
  };
  const path = `${proxy ? url.origin : ''}${url.pathname}${url.search}`;
  let head = `${method} ${path} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(all)) {
    if (FORBIDDEN.test(value)) throw new ProtocolError(`the header ${name} holds a line break`);
    head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}
