import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { Connection } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { dial } from './dial.ts';
import { HttpExchange } from './exchange.ts';
import { networkError } from './network-error.ts';
import type { HttpTuning } from './options.ts';
import { Response } from './response.ts';
import { ProtocolError } from './response-head.ts';
import type { ServerRoute } from './server-route.ts';
import type { ServerRoutes } from './server-routes.ts';
import { ProxyError, proxyAuthorization } from './tunnel.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The registry as the user wrote it; its `certs.d` folder also holds for servers it redirects to. */
  readonly registry: string;
  /** False takes any certificate. */
  readonly verify: boolean;
}

/** A streamed body cannot be sent again, so only a connection used this recently is taken for it. */
const FRESH_MS = 2000;

/** The server answered before it had the whole body; `finish` has what it said. */
class EarlyAnswer extends Error {
  override readonly name = 'EarlyAnswer';
}

/** A request whose body is being written. Finish it or abort it. */
export interface OpenRequest {
  /** Whether the server has begun to answer, perhaps before it had everything. */
  readonly answered: boolean;
  /** Resolves when the memory of the chunk is free again. */
  write(chunk: Uint8Array): Promise<void>;
  finish(): Promise<Response>;
  abort(error: unknown): void;
}

/** HTTP/1.1 over connections that are kept: one request, one answer, no redirects, no credentials. */
export class Transport {
  readonly #routes: ServerRoutes;
  readonly #tuning: HttpTuning;
  readonly #pool: ConnectionPool;
  #closed = false;

  constructor(routes: ServerRoutes, tuning: HttpTuning) {
    this.#routes = routes;
    this.#tuning = tuning;
    this.#pool = new ConnectionPool(tuning.keepAliveMs);
  }

  /** Sends a request that is whole in memory. A kept connection that turns out dead is replaced. */
  async send(ctx: Context, request: WireRequest, body?: Uint8Array): Promise<Response> {
    const route = await this.#routes.routeFor(request);
    try {
      return await this.#sendOnce(ctx, route, request, body, this.#tuning.keepAliveMs);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw this.#failure(ctx, request, error);
    }
    try {
      return await this.#sendOnce(ctx, route, request, body, -1);
    } catch (error) {
      throw this.#failure(ctx, request, error);
    }
  }

  /** Begins a request whose body of `length` bytes follows. */
  async open(ctx: Context, request: WireRequest, length: number): Promise<OpenRequest> {
    try {
      const route = await this.#routes.routeFor(request);
      const connection = await this.#connection(ctx, route, FRESH_MS);
      const exchange = this.#begin(ctx, route, connection, request, length);
      return this.#openRequest(ctx, request, route, connection, exchange);
    } catch (error) {
      throw this.#failure(ctx, request, error);
    }
  }

  /** Ends everything under way; nothing can be sent any more. */
  close(): void {
    this.#closed = true;
    this.#pool.close();
  }

  async #sendOnce(
    ctx: Context,
    route: ServerRoute,
    request: WireRequest,
    body: Uint8Array | undefined,
    maxIdleMs: number,
  ): Promise<Response> {
    const connection = await this.#connection(ctx, route, maxIdleMs);
    const reused = connection.uses > 0;
    const exchange = this.#begin(ctx, route, connection, request, body?.length);
    try {
      if (body && body.length > 0) connection.write(body, () => undefined);
      connection.finish();
      return await this.#answer(request.url, route, exchange);
    } catch (error) {
      if (reused && exchange.unheard) throw new StaleConnection();
      throw error;
    }
  }

  async #connection(ctx: Context, route: ServerRoute, maxIdleMs: number): Promise<Connection> {
    ctx.signal.throwIfAborted();
    if (this.#closed) throw closedError();
    const kept = this.#pool.take(route.key, maxIdleMs);
    if (kept) return kept;
    const connection = await dial(ctx.signal, route, this.#tuning);
    this.#pool.add(connection);
    if (this.#closed) connection.destroy();
    return connection;
  }

  #begin(
    ctx: Context,
    route: ServerRoute,
    connection: Connection,
    request: WireRequest,
    length: number | undefined,
  ): HttpExchange {
    const exchange = new HttpExchange(ctx.signal, connection, {
      over: (reusable) => {
        if (reusable) this.#pool.give(route.key, connection);
        else this.#pool.forget(connection);
      },
      explain: (cause) => this.#failure(ctx, request, cause),
    });
    const head = requestHead(route, request, length);
    connection.begin(request.method, head, length ?? 0, exchange);
    return exchange;
  }

  async #answer(url: URL, route: ServerRoute, exchange: HttpExchange): Promise<Response> {
    const head = await exchange.answer;
    const response = new Response(url, head, exchange);
    const viaProxy = route.proxy && !route.tls;
    if (viaProxy && (head.status === 407 || head.headers['x-squid-error'] !== undefined)) {
      response.cancel();
      const words = head.headers['x-squid-error'] ?? 'other credentials are wanted';
      const told = `the proxy ${route.proxy?.host} answered ${head.status} (${words})`;
      throw new ProxyError(told, { status: head.status });
    }
    return response;
  }

  #openRequest(
    ctx: Context,
    request: WireRequest,
    route: ServerRoute,
    connection: Connection,
    exchange: HttpExchange,
  ): OpenRequest {
    const failure = (error: unknown) => this.#failure(ctx, request, error);
    const finish = async () => {
      try {
        connection.finish();
        return await this.#answer(request.url, route, exchange);
      } catch (error) {
        throw failure(error);
      }
    };
    return {
      get answered() {
        return exchange.answered;
      },
      write: (chunk) => {
        if (exchange.answered) return Promise.reject(new EarlyAnswer('answered early'));
        return new Promise((resolve, reject) => {
          connection.write(chunk, (error) => (error ? reject(failure(error)) : resolve()));
        });
      },
      finish,
      abort: (error) => exchange.cancel(error),
    };
  }

  #failure(ctx: Context, { url, registry }: WireRequest, error: unknown): unknown {
    if (ctx.signal.aborted) return ctx.signal.reason;
    return networkError(url, error, registry);
  }
}

class StaleConnection extends Error {}

function closedError(): AtollError {
  return new AtollError('INTERRUPTED', 'Cannot send a request: the registries were closed');
}

interface HeadParts {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

const FORBIDDEN = /[\r\n\0]/;
const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH']);
const OURS = 'user-agent: atoll\r\naccept-encoding: identity\r\n';

/** The head of a request as it goes over the wire; absolute form where a proxy reads it. */
function requestHead(
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
