import type { Socket } from 'node:net';
import type { RequestAttempt } from './attempt.ts';
import { endOfHead, parseHead, type ResponseHead } from './response-head.ts';
import type { ServerRoute } from './server-route.ts';

/** Failed to reach the proxy, or the proxy refused; not the server's doing. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly status: number | undefined;

  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.status = options.status;
  }
}

/** The `Proxy-Authorization` for the user and password in the proxy's URL. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (!proxy.username) return undefined;
  const user = decodeURIComponent(proxy.username);
  const password = decodeURIComponent(proxy.password);
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Asks the proxy at the other end of the socket for a tunnel to the server. */
export async function openTunnel(
  attempt: RequestAttempt,
  socket: Socket,
  proxy: URL,
  route: ServerRoute,
): Promise<void> {
  const { hostname, port } = route;
  const target = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const credentials = authorization ? `proxy-authorization: ${authorization}\r\n` : '';
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${credentials}\r\n`, 'latin1');
  const head = await readHead(attempt, socket, proxy);
  if (head.status < 200 || head.status > 299) throw refused(proxy, target, head);
}

async function readHead(
  attempt: RequestAttempt,
  socket: Socket,
  proxy: URL,
): Promise<ResponseHead> {
  let seen: Buffer = Buffer.alloc(0);
  for (;;) {
    const bytes: Buffer | null = socket.read();
    if (bytes) seen = Buffer.concat([seen, bytes]);
    const end = endOfHead(seen);
    if (end >= 0) {
      if (end < seen.length) socket.unshift(seen.subarray(end));
      return parseHead(seen.subarray(0, end));
    }
    await readable(attempt, socket, proxy);
  }
}

async function readable(attempt: RequestAttempt, socket: Socket, proxy: URL): Promise<void> {
  try {
    await attempt.until(socket, 'readable');
  } catch (cause) {
    if (attempt.signal.aborted) throw cause;
    throw new ProxyError(`the proxy ${proxy.host} closed the connection`, { cause });
  }
}

function refused(proxy: URL, target: string, { status, reason }: ResponseHead): ProxyError {
  const words = status === 407 ? 'wants other credentials' : `answered ${status} ${reason}`.trim();
  return new ProxyError(`the proxy ${proxy.host} ${words} for ${target}`, { status });
}
