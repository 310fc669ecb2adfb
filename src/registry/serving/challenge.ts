import type { IncomingMessage } from 'node:http';
import { CATALOG_SCOPE, scopeText } from '../auth/scope.ts';
import { roleFor } from './dispatch.ts';
import { parseRoute } from './routes.ts';
import { TOKEN_PATH } from './token-endpoint.ts';
import { type HeaderFields, WireError } from './wire-error.ts';

const BASIC = 'Basic realm="atoll registry", charset="UTF-8"';
const HOST = /^[A-Za-z0-9.:[\]-]{1,260}$/;

/** How clients are asked to log in. */
export interface ChallengeOptions {
  readonly kind: 'basic' | 'bearer';
  /** Where tokens are, as clients reach it; without it, this registry under the name they use. */
  readonly realm?: string | undefined;
}

/** Adds to a refusal how to log in: with a password, or where to get a token for this very request. */
export function withChallenge(
  error: WireError,
  request: IncomingMessage,
  { kind, realm }: ChallengeOptions,
): WireError {
  if (error.status !== 401) return error;
  const value = kind === 'basic' ? BASIC : bearer(request, realm);
  const headers: HeaderFields = { ...error.headers, 'www-authenticate': value };
  return new WireError(error.code, error.message, { headers, detail: error.detail });
}

function bearer(request: IncomingMessage, realm: string | undefined): string {
  const host = HOST.exec(request.headers.host ?? '')?.[0] ?? 'localhost';
  const scheme = 'encrypted' in request.socket ? 'https' : 'http';
  const scope = scopeOf(request);
  return [
    `Bearer realm="${realm ?? `${scheme}://${host}${TOKEN_PATH}`}"`,
    `service="${host}"`,
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ].join(',');
}

function scopeOf({ url = '', method = '' }: IncomingMessage): string | undefined {
  const route = parseRoute(url.replace(/\?.*/, ''));
  if (typeof route !== 'string' && route.kind === 'catalog') return CATALOG_SCOPE;
  if (typeof route === 'string' || !('repository' in route)) return undefined;
  return scopeText(roleFor(route, method), route.repository);
}
