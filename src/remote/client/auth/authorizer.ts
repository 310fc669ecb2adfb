import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import type { Response } from '../../../http/response.ts';
import type { Credential } from '../../config/credential-helper.ts';
import { Shared } from '../shared.ts';
import { type Challenge, parseChallenges } from './challenge.ts';
import { covers, deleting, formatScopes, pushing, type Scope } from './scope.ts';
import { basicHeader, fetchToken, type Token, type TokenSend } from './token.ts';

export interface AuthorizerOptions {
  readonly registry: string;
  /** Where the registry is; relative realms start here. */
  readonly base: URL;
  readonly credentialFor: (repository: string) => Promise<Credential | undefined>;
  readonly send: TokenSend;
  /** Whether credentials may go to a token server without TLS. */
  readonly insecure: boolean;
}

/** Authorization at one registry: reads its challenges and caches a token per set of scopes. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  readonly #asking = new Shared<Token>();
  readonly #tokens = new Map<string, Token>();
  readonly #keys = new Map<string, string>();
  /** Scopes a registry asked for beyond ours, by what we wanted. */
  readonly #extra = new Map<string, readonly string[]>();
  #challenge: Challenge | undefined;

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  /** Reads the challenge of `/v2/`. */
  learn(response: Response): void {
    this.#challenge = this.#choose(response) ?? this.#challenge;
  }

  /** The `Authorization` for these scopes; undefined where none is needed or we have nothing to show. */
  async header(ctx: Context, scopes: readonly Scope[]): Promise<string | undefined> {
    const challenge = this.#challenge;
    if (!challenge) return undefined;
    const credential = await this.#options.credentialFor(scopes[0]?.repository ?? '');
    if (challenge.scheme === 'basic') return credential && basicHeader(credential);
    const token = await this.#token(ctx, challenge, scopes, credential);
    return `Bearer ${token.value}`;
  }

  /** After a refusal: another `Authorization` worth one more try, or undefined when there is none. */
  async again(
    ctx: Context,
    response: Response,
    scopes: readonly Scope[],
    used: string | undefined,
  ): Promise<string | undefined> {
    const challenge = this.#choose(response);
    if (!challenge) return undefined;
    this.#challenge = challenge;
    const wanted = formatScopes(scopes);
    const asked = challenge.params.scope?.split(' ').filter(Boolean) ?? [];
    if (!covers(wanted, asked)) this.#extra.set(wanted.join(' '), asked);
    this.#forget(used);
    const next = await this.header(ctx, scopes);
    return next === used ? undefined : next;
  }

  /** Drops the token for these scopes: the registry refused it where nothing could be sent again. */
  distrust(scopes: readonly Scope[]): void {
    for (const set of widened(scopes)) {
      if (this.#challenge) this.#tokens.delete(keyOf(this.#challenge, formatScopes(set)));
    }
  }

  /** Drops a token the registry no longer takes. */
  #forget(used: string | undefined): void {
    const key = used === undefined ? undefined : this.#keys.get(used);
    if (key === undefined || used === undefined) return;
    this.#keys.delete(used);
    // Another request may have brought a new one in the meantime.
    if (`Bearer ${this.#tokens.get(key)?.value}` === used) this.#tokens.delete(key);
  }

  #choose(response: Response): Challenge | undefined {
    const challenges = parseChallenges(response.headers['www-authenticate']);
    const bearer = challenges.find((c) => c.scheme === 'bearer' && this.#realm(c) !== undefined);
    return bearer ?? challenges.find((c) => c.scheme === 'basic') ?? asBasic(challenges);
  }

  /** The token server: an absolute URL, or a path of the registry itself. */
  #realm(challenge: Challenge): URL | undefined {
    const realm = challenge.params.realm ?? '';
    if (!/^(https?:\/\/|\/)/i.test(realm)) return undefined;
    return URL.canParse(realm, this.#options.base.href)
      ? new URL(realm, this.#options.base)
      : undefined;
  }

  async #token(
    ctx: Context,
    challenge: Challenge,
    scopes: readonly Scope[],
    credential: Credential | undefined,
  ): Promise<Token> {
    const wanted = formatScopes(scopes);
    const all = [...wanted, ...(this.#extra.get(wanted.join(' ')) ?? [])];
    const held = this.#held(ctx, challenge, scopes);
    if (held && covers(held.scopes, all)) return held;
    const key = keyOf(challenge, wanted);
    return await this.#asking.get(ctx, key, () => this.#ask(ctx, challenge, all, key, credential));
  }

  /** A cached token for these scopes, or a wider one for the same repository. */
  #held(ctx: Context, challenge: Challenge, scopes: readonly Scope[]): Token | undefined {
    for (const set of widened(scopes)) {
      const token = this.#tokens.get(keyOf(challenge, formatScopes(set)));
      if (token && token.expiresAt > ctx.now().getTime()) return token;
    }
    return undefined;
  }

  async #ask(
    ctx: Context,
    challenge: Challenge,
    scopes: readonly string[],
    key: string,
    credential: Credential | undefined,
  ): Promise<Token> {
    const { registry, base, send, insecure } = this.#options;
    const realm = this.#realm(challenge) ?? base;
    if (credential && realm.protocol === 'http:' && base.protocol === 'https:' && !insecure) {
      throw openRealm(registry, realm);
    }
    const service = challenge.params.service;
    try {
      const token = await fetchToken(ctx, send, { registry, realm, service, scopes, credential });
      this.#keys.set(`Bearer ${token.value}`, key);
      this.#tokens.set(key, token);
      return token;
    } finally {
      this.#asking.forget(key);
    }
  }
}

/** The scopes themselves, then wider ones for the same repository that would do as well. */
function widened(scopes: readonly Scope[]): (readonly Scope[])[] {
  const [first, ...others] = scopes;
  if (!first || others.length > 0) return [scopes];
  return [scopes, [pushing(first.repository)], [deleting(first.repository)]];
}

/** A Bearer challenge without a realm means Basic. */
function asBasic(challenges: readonly Challenge[]): Challenge | undefined {
  return challenges.some((c) => c.scheme === 'bearer')
    ? { scheme: 'basic', params: {} }
    : undefined;
}

function keyOf({ params }: Challenge, scopes: readonly string[]): string {
  return [params.realm ?? '', params.service ?? '', ...scopes].join(' ');
}

function openRealm(registry: string, realm: URL): AtollError {
  return new AtollError(
    'REGISTRY_REFUSED',
    `Cannot log in to ${registry}: its token server ${realm.host} has no TLS`,
    { hint: `Allow it with --insecure if the network to ${realm.host} is safe` },
  );
}
