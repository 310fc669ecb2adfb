import type { IncomingMessage } from 'node:http';
import type { Context } from '../../core/context.ts';
import { type HeaderFields, WireError } from '../serving/wire-error.ts';
import { type Grant, grantsOf } from './grants.ts';
import { createPasswords, type Guesser } from './passwords.ts';
import { createThrottle } from './throttle.ts';
import type { UserFiles } from './user-files.ts';

/** Who asks, and what they may do. */
export interface Identity {
  readonly user: string | undefined;
  readonly grants: readonly Grant[];
}

export interface Authenticator {
  /** Throws 401 for wrong credentials and 429 for too many of them. */
  identify(request: IncomingMessage): Promise<Identity>;
}

const EVERYBODY: Identity = { user: undefined, grants: [{ role: 'delete', prefix: '' }] };
const CHALLENGE: HeaderFields = {
  'www-authenticate': 'Basic realm="atoll registry", charset="UTF-8"',
};

/** For a registry without users: everybody may do everything. */
export const openToAll: Authenticator = { identify: async () => EVERYBODY };

export interface AuthenticatorOptions {
  readonly users: UserFiles;
  readonly anonymousPull: boolean;
  readonly onFailure: (throttled: boolean) => void;
}

export function createAuthenticator(ctx: Context, options: AuthenticatorOptions): Authenticator {
  const passwords = createPasswords(ctx);
  const throttle = createThrottle(ctx);
  const anonymous: Identity = {
    user: undefined,
    grants: options.anonymousPull ? [{ role: 'pull', prefix: '' }] : [],
  };

  async function authenticate(user: string, password: string, address: string): Promise<void> {
    const hash = options.users.hashOf(user);
    if (hash !== undefined && passwords.isKnown(user, password, hash)) return;
    const guesser = guesserAt(address);
    guesser.admit();
    if (await passwords.check(user, password, hash, guesser)) return;
    throw unauthorized('The user name or the password is wrong');
  }

  const guesserAt = (address: string): Guesser => ({
    address,
    admit() {
      const wait = throttle.waitSeconds(address);
      if (wait === 0) return;
      options.onFailure(true);
      throw tooMany(wait);
    },
    wrong() {
      throttle.failed(address);
      options.onFailure(false);
    },
  });

  return {
    async identify(request) {
      const credentials = parseBasic(request.headers.authorization);
      if (!credentials) return anonymous;
      const { user, password } = credentials;
      await authenticate(user, password, request.socket.remoteAddress ?? '');
      return { user, grants: grantsOf(options.users.grants(), user) };
    },
  };
}

/** Undefined for no credentials; clients that have none also send a lone colon. */
function parseBasic(header: string | undefined): { user: string; password: string } | undefined {
  if (header === undefined) return undefined;
  const [, encoded] = /^basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(header) ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw unauthorized('Only Basic authentication is understood here');
  const user = text.slice(0, colon);
  return user === '' ? undefined : { user, password: text.slice(colon + 1) };
}

export function unauthorized(message: string): WireError {
  return new WireError('UNAUTHORIZED', message, { headers: CHALLENGE });
}

function tooMany(seconds: number): WireError {
  return new WireError('TOOMANYREQUESTS', 'Too many wrong passwords; try again later', {
    headers: { 'retry-after': String(seconds) },
  });
}
