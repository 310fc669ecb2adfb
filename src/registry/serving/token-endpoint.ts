import type { Authenticator } from '../auth/authenticator.ts';
import { claimedUser, refused, unauthorized } from '../auth/basic.ts';
import type { Identity } from '../auth/identity.ts';
import type { TokenIssuer } from '../auth/token-issuer.ts';
import { type Exchange, replyJson } from './exchange.ts';
import { receiveWhole } from './receive-body.ts';
import { WireError } from './wire-error.ts';

// Where clients get tokens for a few scopes:
// https://distribution.github.io/distribution/spec/auth/token/ (GET, with a Basic login) and
// https://distribution.github.io/distribution/spec/auth/oauth/ (POST, with a form).

export const TOKEN_PATH = '/token';
const MAX_FORM_BYTES = 16 * 1024;

export async function answerToken(exchange: Exchange, authenticator: Authenticator): Promise<void> {
  const { request, entry, query } = exchange;
  entry.route = 'token';
  const { tokens } = authenticator;
  if (!tokens) throw new WireError('NAME_UNKNOWN', 'This registry hands out no tokens');
  if (request.method === 'GET') {
    entry.claimedUser = claimedUser(request.headers.authorization);
    const identity = await authenticator.identify(request);
    return send(exchange, tokens, identity, query.getAll('scope'));
  }
  if (request.method !== 'POST') throw new WireError('UNSUPPORTED', 'Ask with GET or POST');
  const form = new URLSearchParams((await receiveWhole(request, MAX_FORM_BYTES)).toString());
  entry.claimedUser = form.get('username')?.slice(0, 64) || undefined;
  const identity = await loginOf(exchange, authenticator, tokens, form);
  send(exchange, tokens, identity, form.getAll('scope'), form.get('refresh_token') ?? undefined);
}

async function loginOf(
  { request }: Exchange,
  authenticator: Authenticator,
  tokens: TokenIssuer,
  form: URLSearchParams,
): Promise<Identity> {
  const text = (name: string) => form.get(name) ?? '';
  if (text('grant_type') === 'password') {
    const login = { user: text('username'), password: text('password') };
    return await authenticator.login(request, login);
  }
  if (text('grant_type') !== 'refresh_token')
    throw unauthorized('Only the grant types password and refresh_token are understood here');
  // Long-lived tokens are the robots'; one of them is what others call a refresh token.
  const robot = tokens.robot(undefined, text('refresh_token'));
  if (!robot) throw refused('The token is none of this registry', 'token-unknown');
  return robot;
}

function send(
  exchange: Exchange,
  tokens: TokenIssuer,
  identity: Identity,
  scopes: readonly string[],
  refresh_token?: string,
): void {
  const { entry } = exchange;
  entry.user = identity.user;
  entry.token = identity.token;
  entry.claimedUser = undefined;
  const answer = { ...tokens.issue(identity, scopes), refresh_token };
  replyJson(exchange, answer, { 'cache-control': 'no-store' });
}
