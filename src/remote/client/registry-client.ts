import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { type RetryOptions, retry } from '../../core/retry.ts';
import type { Response } from '../../http/response.ts';
import type { OpenRequest, Transport } from '../../http/transport.ts';
import type { Credential } from '../config/credential-helper.ts';
import { Absence } from './absence.ts';
import { Authorizer } from './auth/authorizer.ts';
import type { Scope } from './auth/scope.ts';
import type { TokenSend } from './auth/token.ts';
import type { Limiter } from './limiter.ts';
import { findRegistry } from './ping.ts';
import { follow, isRedirect, nextHop, type Redirected } from './redirect.ts';
import { about, nameOf, refusal, retryAfterOf, type Subject } from './refusal.ts';
import { Shared } from './shared.ts';
import type { Tuning } from './tuning.ts';

export interface RegistryRequest {
  readonly method: string;
  /** Path below `/v2/`, or a URL the registry gave. */
  readonly target: string | URL;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly scopes: readonly Scope[];
  readonly body?: Uint8Array | undefined;
}

export interface RegistryClientOptions {
  readonly registry: string;
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly tuning: Tuning;
  /** Whether plain HTTP and unverified TLS are allowed at this host. */
  readonly isInsecure: (host: string) => boolean;
  readonly credentialFor: (repository: string) => Promise<Credential | undefined>;
  /** Whether credentials are shown only where `/v2/` asked for them. */
  readonly asNode?: boolean | undefined;
}

/** Where the registry's API was found, and how to log in there. */
interface RegistryApi {
  readonly base: URL;
  readonly origin: string;
  /** Whether `/v2/` answered 401. */
  readonly asksForLogin: boolean;
  readonly authorizer: Authorizer;
}

/** What a registry may not support; cleared after the first refusal, so that it is not asked again. */
export interface Features {
  referrers: boolean;
  mountFuse: boolean;
}

/** The client of one registry: finds its API, sends credentials there and nowhere else, follows redirects. */
export class RegistryClient {
  readonly registry: string;
  readonly limiter: Limiter;
  readonly tuning: Tuning;
  readonly features: Features = { referrers: true, mountFuse: true };
  readonly #options: RegistryClientOptions;
  readonly #found = new Shared<RegistryApi>();
  readonly #absence = new Absence();
  readonly #warned = new Set<string>();

  constructor(options: RegistryClientOptions) {
    this.registry = options.registry;
    this.limiter = options.limiter;
    this.tuning = options.tuning;
    this.#options = options;
  }

  /** Sends a request and returns the answer at the end of all redirects and logins. */
  async send(ctx: Context, request: RegistryRequest): Promise<Response> {
    const api = await this.#api(ctx);
    let hop: Redirected = {
      url: this.#urlOf(api, request.target),
      method: request.method,
      seen: [],
    };
    for (;;) {
      const response = await this.#ask(ctx, api, request, hop);
      if (!isRedirect(response)) return response;
      await response.discard();
      hop = nextHop(this.registry, response, hop, this.#options.isInsecure);
    }
  }

  /** Begins a request whose body is streamed. Neither redirects nor challenges are followed. */
  async open(ctx: Context, request: RegistryRequest, length: number): Promise<OpenRequest> {
    const api = await this.#api(ctx);
    const url = this.#urlOf(api, request.target);
    const headers = await this.#headers(ctx, api, request, url);
    const release = await this.limiter.admit(ctx);
    try {
      return await this.#options.transport.open(
        ctx,
        this.#wire(request.method, url, headers),
        length,
      );
    } finally {
      release();
    }
  }

  /** Takes the answer to an open request into account: rate limit, expired token, warnings. */
  async noteAnswer(ctx: Context, response: Response, request: RegistryRequest): Promise<void> {
    this.#observe(ctx, response);
    const { authorizer } = await this.#api(ctx);
    if (response.status === 401) authorizer.distrust(request.scopes);
  }

  /** Resolves a `Location` of the registry; behind a proxy it may have the wrong scheme. */
  async locate(ctx: Context, location: string, from: URL): Promise<URL> {
    const { base } = await this.#api(ctx);
    const url = new URL(location, from);
    const isHome = url.hostname === base.hostname && url.port === base.port;
    return isHome ? new URL(`${url.pathname}${url.search}`, base) : url;
  }

  /** Runs one operation, and again when it failed for a reason that may pass. */
  async attempt<T>(
    ctx: Context,
    subject: Subject,
    work: (attempt: number) => Promise<T>,
    ends: Pick<RetryOptions, 'hasProgressed' | 'isFinal'> = {},
  ): Promise<T> {
    const policy = this.tuning.retry;
    const operation = `${subject.action} ${nameOf(subject)}`;
    try {
      if (this.#absence.isKnown) throw this.#absence.error;
      return await retry(ctx, { ...policy, ...ends, operation }, work);
    } catch (error) {
      if (ctx.signal.aborted || ends.isFinal?.(error)) throw error;
      // A caller with a single attempt polls: its failure must not answer the next poll.
      if (policy.attempts > 1) this.#absence.note(error);
      throw about(subject, error);
    }
  }

  /** The error for an answer with an unexpected status. */
  async refuse(response: Response, subject: Subject): Promise<AtollError> {
    const error = await refusal(response, subject);
    if (error.code !== 'REGISTRY_DENIED') return error;
    const credential = await this.#options.credentialFor(subject.repository ?? '');
    if (credential) return error;
    return new AtollError(error.code, error.message, {
      hint: `Log in to ${this.registry}, or give its credentials with --authfile FILE`,
      details: error.details,
    });
  }

  async #ask(
    ctx: Context,
    api: RegistryApi,
    request: RegistryRequest,
    hop: Redirected,
  ): Promise<Response> {
    const headers = await this.#headers(ctx, api, request, hop.url);
    const body = hop.method === request.method ? request.body : undefined;
    const response = await this.#once(ctx, hop, headers, body);
    if (!isChallenge(response) || hop.url.origin !== api.origin) return response;
    if (this.#options.asNode && !api.asksForLogin) throw await this.#neverAsked(response, api);
    const used = headers.authorization;
    const authorization = await api.authorizer.again(ctx, response, request.scopes, used);
    if (authorization === undefined) return response;
    await response.discard();
    return await this.#once(ctx, hop, { ...headers, authorization }, body);
  }

  async #neverAsked(response: Response, { base }: RegistryApi): Promise<AtollError> {
    await response.discard();
    const { registry } = this;
    return new AtollError(
      'NOT_A_REGISTRY',
      `Cannot log in to ${registry}: ${base.origin}/v2/ lets everybody in, so container runtimes show no login, and then it wants one`,
      {
        hint: `Let ${registry} answer 401 at /v2/: what may be pulled without a login can stay open`,
        details: { registry, status: response.status },
      },
    );
  }

  async #once(
    ctx: Context,
    { url, method }: Redirected,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array | undefined,
  ): Promise<Response> {
    const release = await this.limiter.admit(ctx);
    try {
      const response = await this.#options.transport.send(
        ctx,
        this.#wire(method, url, headers),
        body,
      );
      this.#observe(ctx, response);
      return response;
    } finally {
      release();
    }
  }

  #wire(method: string, url: URL, headers: Readonly<Record<string, string>>) {
    const { registry, isInsecure } = this.#options;
    return { method, url, headers, registry, verify: !isInsecure(url.host) };
  }

  /** Credentials go to the registry's own origin and not to servers that it redirects to. */
  async #headers(
    ctx: Context,
    api: RegistryApi,
    request: RegistryRequest,
    url: URL,
  ): Promise<Record<string, string>> {
    const isHome = url.origin === api.origin;
    const authorization = isHome ? await api.authorizer.header(ctx, request.scopes) : undefined;
    return { ...request.headers, ...(authorization ? { authorization } : {}) };
  }

  #observe(ctx: Context, response: Response): void {
    if (response.status === 429) {
      const { firstDelayMs, maxRetryAfterMs } = this.tuning.retry;
      this.limiter.throttled(Math.min(retryAfterOf(response) ?? firstDelayMs, maxRetryAfterMs));
    } else if (response.status < 500) {
      this.limiter.succeeded();
    }
    const warning = /^299 - "((?:[^"\\]|\\.)*)"/.exec(response.headers.warning ?? '')?.[1];
    if (warning === undefined || this.#warned.has(warning)) return;
    this.#warned.add(warning);
    ctx.emit({ type: 'warning.raised', message: warning, subject: this.registry });
  }

  #urlOf({ base }: RegistryApi, target: string | URL): URL {
    return typeof target === 'string' ? new URL(`/v2/${target}`, base) : target;
  }

  #api(ctx: Context): Promise<RegistryApi> {
    return this.#found.get(ctx, '', () => this.#findApi(ctx));
  }

  async #findApi(ctx: Context): Promise<RegistryApi> {
    const { registry, transport, isInsecure, credentialFor } = this.#options;
    // The body of a POST may hold a secret, so its redirects are not followed.
    const send: TokenSend = (tokenCtx, { method, url, headers }, body) =>
      method === 'GET'
        ? follow(tokenCtx, this.#options, { url, headers })
        : transport.send(tokenCtx, this.#wire(method, url, headers), body);
    const { base, response } = await findRegistry(ctx, this.#options);
    const authorizer = new Authorizer({
      registry,
      base,
      credentialFor,
      insecure: isInsecure(base.host),
      send,
    });
    this.#absence.end();
    const asksForLogin = response.status === 401;
    if (asksForLogin) authorizer.learn(response);
    await response.discard();
    return { base, origin: base.origin, authorizer, asksForLogin };
  }
}

function isChallenge(response: Response): boolean {
  if (response.status === 401) return true;
  const challenge = response.headers['www-authenticate'] ?? '';
  return response.status === 403 && challenge.includes('insufficient_scope');
}
