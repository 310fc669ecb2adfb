import { WireError } from '../serving/wire-error.ts';

export interface BasicLogin {
  readonly user: string;
  readonly password: string;
}

/** Undefined for no credentials; clients that have none also send a lone colon. */
export function parseBasic(header: string): BasicLogin | undefined {
  const [, encoded] = /^basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(header) ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw unauthorized('Only Basic and Bearer authentication are understood here');
  const user = text.slice(0, colon);
  return user === '' ? undefined : { user, password: text.slice(colon + 1) };
}

export function parseBearer(header: string): string | undefined {
  return /^bearer\s+(\S+)\s*$/i.exec(header)?.[1];
}

/** Who a header says it is from, whether that is true or not; no more than a name can have. */
export function claimedUser(header: string | undefined): string | undefined {
  const [, encoded = ''] = /^basic\s+(\S+)/i.exec(header ?? '') ?? [];
  const [name = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
  return name.slice(0, 64) || undefined;
}

/** Id of the robot's token in a header, whether it is right or not. */
export function claimedToken(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(basic|bearer)\s+(\S+)/i.exec(header ?? '') ?? [];
  const text = scheme.toLowerCase() === 'basic' ? Buffer.from(value, 'base64').toString() : value;
  return /(?:^|:)atr_([0-9a-f]{12})_/.exec(text)?.[1];
}

/** How to log in is added where it is answered: that depends on what was asked for. */
export function unauthorized(message: string): WireError {
  return new WireError('UNAUTHORIZED', message);
}

/** Why a token is of no use; the access log says the same. */
export type LoginRefusal = 'token-unknown' | 'token-expired' | 'token-revoked' | 'password-wrong';

export function refused(message: string, refusal: LoginRefusal): WireError {
  return new WireError('UNAUTHORIZED', message, { detail: { refusal } });
}
