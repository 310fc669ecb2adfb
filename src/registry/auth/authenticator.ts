import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from '../../core/context.ts';
import { type HeaderFields, WireError } from '../serving/wire-error.ts';
import { type Grant, grantsOf } from './grants.ts';
import { createLoginQueue, type LoginAttempt } from './login-queue.ts';
import { networkOf } from './network.ts';
import { createPasswords, type PasswordsOptions } from './passwords.ts';
import { createThrottle } from './throttle.ts';
import type { UserFiles } from './user-files.ts';

/** Who asks, and what they may do. */
export interface Identity {
  readonly user: string | undefined;
  readonly grants: readonly Grant[];
}

export interface Authenticator {
  /** Throws 401 for wrong credentials, and 429 where too many wait to be looked at. */
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
  /** Replaces parts of the check, for tests. */
  readonly passwords?: PasswordsOptions | undefined;
}

/** One password that is being looked at, and those who wait for it. */
interface Check {
  readonly sockets: Set<Socket>;
  readonly result: Promise<boolean>;
}

export function createAuthenticator(ctx: Context, options: AuthenticatorOptions): Authenticator {
  const { users } = options;
  const passwords = createPasswords({ highestCost: users.highestCost, ...options.passwords });
  const throttle = createThrottle(ctx);
  const welcome = createWelcome();
  const queue = createLoginQueue((login) => {
    if (throttle.waitSeconds(login.address) > 0) return undefined;
    if (welcome.has(login)) return 0;
    return throttle.isSuspect(login.address) ? 2 : 1;
  }, tooMany);
  const anonymous: Identity = {
    user: undefined,
    grants: options.anonymousPull ? [{ role: 'pull', prefix: '' }] : [],
  };
  const checking = new Map<string, Check>();

  async function check(user: string, password: string, login: LoginAttempt): Promise<boolean> {
    return await queue.run(login, async () => {
      // As it is when their turn comes: it may have been changed, or be known by now.
      const right = await passwords.check(user, password, users.hashOf(user));
      if (right) welcome.add(login);
      else throttle.failed(login.address);
      return right;
    });
  }

  /** Many connections of one client start at once: they share one computation. */
  function shared(user: string, password: string, { socket }: IncomingMessage): Check {
    const address = networkOf(socket.remoteAddress ?? '');
    const key = JSON.stringify([address, user, password]);
    const running = checking.get(key);
    if (running) return running;
    const sockets = new Set<Socket>([socket]);
    const isGone = () => [...sockets].every(({ destroyed }) => destroyed);
    const known = users.hashOf(user) === undefined ? undefined : user;
    const result = check(user, password, { address, user: known, isGone }).finally(() =>
      checking.delete(key),
    );
    const started = { sockets, result };
    checking.set(key, started);
    return started;
  }

  async function authenticate(user: string, password: string, request: IncomingMessage) {
    const hash = users.hashOf(user);
    if (hash !== undefined && passwords.isKnown(user, password, hash)) return;
    const { sockets, result } = shared(user, password, request);
    sockets.add(request.socket);
    if (await result) return;
    options.onFailure(false);
    throw unauthorized('The user name or the password is wrong');
  }

  async function identifyUser(user: string, password: string, request: IncomingMessage) {
    try {
      await authenticate(user, password, request);
    } catch (error) {
      if (error instanceof WireError && error.status === 429) options.onFailure(true);
      throw error;
    }
  }

  return {
    async identify(request) {
      const credentials = parseBasic(request.headers.authorization);
      if (!credentials) return anonymous;
      const { user, password } = credentials;
      await identifyUser(user, password, request);
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

/** Who a header says it is from, whether that is true or not; no more than a name can have. */
export function claimedUser(header: string | undefined): string | undefined {
  const [, encoded = ''] = /^basic\s+(\S+)/i.exec(header ?? '') ?? [];
  const [name = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1);
  return name.slice(0, 64) || undefined;
}

export function unauthorized(message: string): WireError {
  return new WireError('UNAUTHORIZED', message, { headers: CHALLENGE });
}

function tooMany(): WireError {
  return new WireError('TOOMANYREQUESTS', 'Too many passwords wait to be checked', {
    headers: { 'retry-after': '3' },
  });
}

const MAX_WELCOME = 10_000;

/** From where whose password was right before: those who come again go first. */
function createWelcome() {
  const seen = new Set<string>();
  const keyOf = ({ address, user }: LoginAttempt) => JSON.stringify([address, user]);
  return {
    has: (login: LoginAttempt) => seen.has(keyOf(login)),
    add(login: LoginAttempt) {
      seen.delete(keyOf(login));
      seen.add(keyOf(login));
      if (seen.size > MAX_WELCOME) seen.delete(seen.values().next().value ?? '');
    },
  };
}
