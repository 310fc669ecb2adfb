import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { registerSecret } from '../../../core/redact.ts';
import { isObject, parseJson } from '../../../core/shape.ts';
import type { Response } from '../../../http/response.ts';
import type { Credential } from '../../config/credential-helper.ts';
import { refusal } from '../refusal.ts';

export interface TokenRequest {
  readonly registry: string;
  readonly realm: URL;
  readonly service: string | undefined;
  readonly scopes: readonly string[];
  readonly credential: Credential | undefined;
}

export interface Token {
  readonly value: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch, already a little early. */
  readonly expiresAt: number;
}

/** Sends one request to a token server. */
export type TokenSend = (
  ctx: Context,
  request: { method: string; url: URL; headers: Readonly<Record<string, string>> },
  body?: Uint8Array,
) => Promise<Response>;

const CLIENT_ID = 'atoll';
const BODY_BYTES = 1024 * 1024;
const SHORTEST_LIFE_S = 60;
/** A token is renewed this long before it expires, so that it does not expire in flight. */
const EARLY_MS = 10_000;

/** Asks a token server. An identity token goes by OAuth2, a password by GET, each with the other as fallback. */
export async function fetchToken(
  ctx: Context,
  send: TokenSend,
  request: TokenRequest,
): Promise<Token> {
  const ways = request.credential?.kind === 'identity' ? [byPost, byGet] : [byGet, byPost];
  const [first = byGet, second] = request.credential ? ways : [byGet];
  let response = await first(ctx, send, request);
  if (second && (response.status === 404 || response.status === 405)) {
    await response.discard();
    response = await second(ctx, send, request);
  }
  return await readToken(ctx, response, request);
}

function byGet(ctx: Context, send: TokenSend, request: TokenRequest): Promise<Response> {
  const url = new URL(request.realm);
  if (request.service !== undefined) url.searchParams.set('service', request.service);
  for (const scope of request.scopes) url.searchParams.append('scope', scope);
  const { credential } = request;
  if (credential?.username) url.searchParams.set('account', credential.username);
  const headers = credential ? { authorization: basicHeader(credential) } : {};
  return send(ctx, { method: 'GET', url, headers: { accept: 'application/json', ...headers } });
}

function byPost(ctx: Context, send: TokenSend, request: TokenRequest): Promise<Response> {
  const { credential, service, scopes } = request;
  const form = new URLSearchParams({ client_id: CLIENT_ID });
  if (service !== undefined) form.set('service', service);
  if (scopes.length > 0) form.set('scope', scopes.join(' '));
  if (credential?.kind === 'identity') {
    form.set('grant_type', 'refresh_token');
    form.set('refresh_token', credential.token);
  } else if (credential) {
    form.set('grant_type', 'password');
    form.set('username', credential.username);
    form.set('password', credential.password);
  }
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const body = Buffer.from(form.toString());
  return send(ctx, { method: 'POST', url: request.realm, headers }, body);
}

/** `Basic …` for a credential; an identity token stands as the password where there is no other. */
export function basicHeader(credential: Credential): string {
  const username = credential.username ?? '<token>';
  const password =
    credential.kind === 'identity'
      ? (credential.password ?? credential.token)
      : credential.password;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function readToken(ctx: Context, response: Response, request: TokenRequest): Promise<Token> {
  if (!response.ok) throw await denied(response, request);
  const body = await response.bytes(BODY_BYTES);
  const answer = parseJson(body?.toString('utf8') ?? '');
  const value = textIn(answer, 'token') ?? textIn(answer, 'access_token');
  if (value === undefined) throw unusable(request);
  const refresh = textIn(answer, 'refresh_token');
  if (refresh !== undefined) registerSecret(refresh);
  const told = isObject(answer) ? Number(answer.expires_in) : 0;
  const life = Math.max(SHORTEST_LIFE_S, told || 0) * 1000;
  return { value, scopes: request.scopes, expiresAt: ctx.now().getTime() + life - EARLY_MS };
}

/** A text that is there and not empty. */
function textIn(answer: unknown, field: string): string | undefined {
  const value = isObject(answer) ? answer[field] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

async function denied(response: Response, request: TokenRequest): Promise<AtollError> {
  const subject = {
    action: `get a token for ${request.registry} from`,
    registry: request.realm.host,
  };
  const error = await refusal(response, subject);
  const refused = error.code === 'REGISTRY_REFUSED' || error.code === 'IMAGE_UNKNOWN';
  const code = refused || error.code === 'TOKEN_EXPIRED' ? 'REGISTRY_DENIED' : error.code;
  return new AtollError(code, error.message, {
    hint: request.credential
      ? `Check the user and password for ${request.registry}, or log in again`
      : `Log in to ${request.registry}, or give its credentials with --authfile FILE`,
    details: error.details,
  });
}

function unusable({ registry, realm }: TokenRequest): AtollError {
  return new AtollError(
    'REGISTRY_UNAVAILABLE',
    `Cannot get a token for ${registry}: ${realm.host} answered without one`,
    { details: { registry } },
  );
}
