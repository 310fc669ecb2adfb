import { request } from 'node:http';
import type { Context } from '../../core/context.ts';
import type { ProxyLogin } from '../proxy-place.ts';

const PATIENCE_MS = 30_000;

/** What a proxy says when it is asked for a way to somewhere. */
export interface ProxyAnswer {
  readonly status: number;
}

/** Asks the proxy of this machine for a way to `host:port`, and takes it no further. */
export function probeProxy(
  { signal }: Pick<Context, 'signal'>,
  port: number,
  target: string,
  login?: ProxyLogin,
): Promise<ProxyAnswer> {
  const word = login && Buffer.from(`${login.user}:${login.password}`).toString('base64');
  const headers = word ? { 'proxy-authorization': `Basic ${word}` } : {};
  return new Promise((resolve, reject) => {
    const asked = request({
      ...{ host: '127.0.0.1', port, method: 'CONNECT', path: target, headers, signal },
      timeout: PATIENCE_MS,
    });
    asked.once('connect', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve({ status: statusCode });
    });
    asked.once('timeout', () => asked.destroy(new Error(`nothing for ${PATIENCE_MS} ms`)));
    asked.once('error', reject);
    asked.end();
  });
}
