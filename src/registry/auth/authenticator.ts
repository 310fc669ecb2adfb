import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from '../../core/context.ts';
import { WireError } from '../serving/wire-error.ts';
import { type BasicLogin, parseBasic, parseBearer, refused } from './basic.ts';
import { grantsOf } from './grants.ts';
import type { Identity } from './identity.ts';
import { createLoginQueue, type LoginAttempt } from './login-queue.ts';
import { networkOf } from './network.ts';
import { createPasswords, type PasswordsOptions } from './passwords.ts';
import type { TokenFile } from './robots.ts';
import { createThrottle } from './throttle.ts';
import { createTokenIssuer, type TokenIssuer } from './token-issuer.ts';
import type { UserFiles } from './user-files.ts';

export interface Authenticator {
  /** Throws 401 for wrong credentials, and 429 where too many wait to be looked at. */
  identify(request: IncomingMessage): Promise<Identity>;
  /** The same at once; undefined where a password has to be checked first. */
  recognise(authorization: string | undefined): Identity | undefined;
  /** A login that came otherwise than in a header, as `/token` takes it. */
  login(request: IncomingMessage, login: BasicLogin): Promise<Identity>;
  /** Undefined where there are no tokens. */
  readonly tokens: TokenIssuer | undefined;
}

const EVERYBODY: Identity = { user: undefined, grants: [{ role: 'delete', prefix: '' }] };
/** For a registry without users: everybody may do everything. */
export const openToAll: Authenticator = {
  identify: async () => EVERYBODY,
  recognise: () => EVERYBODY,
  login: async () => EVERYBODY,
  tokens: undefined,
};

export interface AuthenticatorOptions {
  readonly users: UserFiles;
  /** Reads the file of tokens as it is now; undefined where there is none. */
  readonly tokens?: (() => TokenFile) | undefined;
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

  function isKnown({ user, password }: BasicLogin): boolean {
    const hash = users.hashOf(user);
    return hash !== undefined && passwords.isKnown(user, password, hash);
  }

  async function authenticate(login: BasicLogin, request: IncomingMessage) {
    if (isKnown(login)) return;
    const { user, password } = login;
    const { sockets, result } = shared(user, password, request);
    sockets.add(request.socket);
    if (await result) return;
    options.onFailure(false);
    throw refused('The user name or the password is wrong', 'password-wrong');
  }

  async function identifyUser(login: BasicLogin, request: IncomingMessage) {
    try {
      await authenticate(login, request);
    } catch (error) {
      if (error instanceof WireError && error.status === 429) options.onFailure(true);
      throw error;
    }
  }

  const may = (user: string) => grantsOf(users.grants(), user);
  const tokens =
    options.tokens &&
    createTokenIssuer(ctx, options.tokens, { hashOf: users.hashOf, grantsOf: may });

  async function login(request: IncomingMessage, given: BasicLogin): Promise<Identity> {
    const { user, password } = given;
    const robot = tokens?.robot(user, password);
    if (robot) return robot;
    await identifyUser(given, request);
    return { user, grants: may(user) };
  }

  function recognise(authorization: string | undefined): Identity | undefined {
    if (authorization === undefined) return anonymous;
    const bearer = parseBearer(authorization);
    if (tokens && bearer !== undefined) return tokens.bearer(bearer);
    const given = parseBasic(authorization);
    if (!given) return anonymous;
    const { user, password } = given;
    const robot = tokens?.robot(user, password);
    return robot ?? (isKnown(given) ? { user, grants: may(user) } : undefined);
  }

  return {
    tokens,
    login,
    recognise,
    async identify(request) {
      const { authorization } = request.headers;
      const known = recognise(authorization);
      if (known) return known;
      const given = parseBasic(authorization ?? '');
      return given ? await login(request, given) : anonymous;
    },
  };
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
