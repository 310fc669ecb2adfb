import type { Context } from '../../core/context.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { type RetryPolicy, retry } from '../../core/retry.ts';
import type { HttpTuning } from '../../http/options.ts';
import type { Response } from '../../http/response.ts';
import { Transport } from '../../http/transport.ts';
import type { ClusterAccess } from './kubeconfig.ts';
import { routeTo } from './route.ts';
import { ApiError } from './status-error.ts';

/** A watch is ended by the server before it counts as stalled, and begun again. */
export const WATCH_SECONDS = 60;
const TUNING: HttpTuning = {
  connectTimeoutMs: 10_000,
  stallTimeoutMs: (WATCH_SECONDS + 15) * 1000,
  answerTimeoutMs: 60_000,
  keepAliveMs: 20_000,
};
const MOST_BYTES = 256 * 1024 ** 2;

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: unknown;
  readonly contentType?: string;
  /** What is attempted, for errors: `read nodes`. */
  readonly what: string;
}

export interface ClientOptions {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
}

/** Requests to one Kubernetes API: JSON in, JSON out, errors with a code. */
export class ApiClient {
  readonly access: ClusterAccess;
  readonly retry: Partial<RetryPolicy>;
  readonly #transport: Transport;

  constructor(access: ClusterAccess, options: ClientOptions = {}) {
    this.access = access;
    this.retry = options.retry ?? {};
    const route = routeTo(access, options.env ?? process.env);
    // Errors of the connection are thrown by the first request.
    route.catch(() => undefined);
    this.#transport = new Transport({ routeFor: () => route }, TUNING);
  }

  /** One document, tried again while the API is away. */
  async json(ctx: Context, request: ApiRequest): Promise<unknown> {
    const operation = request.what;
    return await retry(ctx, { ...this.retry, operation }, async () => {
      const response = await this.send(ctx, request);
      const bytes = await this.#told(response.bytes(MOST_BYTES));
      return parsed(request, bytes?.toString('utf8'));
    });
  }

  /** One attempt; the body of the answer is still to be read. */
  async send(ctx: Context, request: ApiRequest): Promise<Response> {
    const { method = 'GET', body } = request;
    const { server, token } = this.access;
    const url = urlOf(server, request);
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      accept: 'application/json',
      ...(bytes ? { 'content-type': request.contentType ?? 'application/json' } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    };
    const wire = { method, url, headers, registry: server.host, verify: this.access.verify };
    const response = await this.#told(this.#transport.send(ctx, wire, bytes));
    if (response.ok) return response;
    const words = (await response.bytes(1024 ** 2).catch(() => undefined))?.toString('utf8');
    throw new ApiError(response.status, request.what, words ?? '');
  }

  async #told<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.explained(error);
    }
  }

  /** The words of `http/` are about registries; these are about the cluster. */
  explained(error: unknown): unknown {
    if (!(error instanceof AtollError) || error instanceof ApiError) return error;
    const code = error.code === 'REGISTRY_UNAVAILABLE' ? 'CLUSTER_UNAVAILABLE' : error.code;
    return new AtollError(code, error.message, {
      hint: HINTS[code]?.(this.access) ?? error.hint,
      details: { server: this.access.server.host },
      cause: error,
    });
  }

  close(): void {
    this.#transport.close();
  }
}

const HINTS: Partial<Record<ErrorCode, (access: ClusterAccess) => string>> = {
  CLUSTER_UNAVAILABLE: ({ server }) =>
    `Check that ${server.host} is the API, that the control plane runs, and that this machine may reach it`,
  TLS_UNTRUSTED: ({ file }) => `The CA in "${file}" did not sign it: is that the right cluster?`,
  TLS_CLIENT_REFUSED: ({ file }) => `Use another kubeconfig: the API refuses the one in "${file}"`,
};

function urlOf(server: URL, { path, query }: ApiRequest): URL {
  const url = new URL(server);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, value);
  }
  return url;
}

function parsed({ what }: ApiRequest, text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch (cause) {
    throw new AtollError('CLUSTER_UNAVAILABLE', `Cannot ${what}: the answer is no JSON`, {
      hint: 'Something between here and the API answers in its place: check proxies',
      cause,
    });
  }
}
