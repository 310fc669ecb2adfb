import type { Context } from '../../core/context.ts';
import { refused } from './basic.ts';
import { printOf, readBearer, signBearer } from './bearer.ts';
import type { Grant } from './grants.ts';
import type { Identity } from './identity.ts';
import { isExpired, type Robot, robotOf, type TokenFile } from './robots.ts';
import { grantScopes } from './scope.ts';

/** Long enough for a large pull to ask a few times only, short enough to be lost without harm. */
const LIFE_SECONDS = 300;

/** What it needs to know of users. */
export interface TokenUsers {
  hashOf(user: string): string | undefined;
  grantsOf(user: string): readonly Grant[];
}

export interface IssuedToken {
  readonly token: string;
  readonly access_token: string;
  readonly expires_in: number;
  readonly issued_at: string;
}

/** Robots' tokens, and the short-lived ones that are made of a login. */
export interface TokenIssuer {
  /** Undefined where the password is no robot's token. Throws for one that is of no use. */
  robot(name: string | undefined, password: string): Identity | undefined;
  bearer(token: string): Identity;
  issue(identity: Identity, scopes: readonly string[]): IssuedToken;
}

export function createTokenIssuer(
  ctx: Context,
  file: () => TokenFile,
  users: TokenUsers,
): TokenIssuer {
  const nowSeconds = () => Math.floor(ctx.now().getTime() / 1000);

  function living(found: Robot | 'wrong' | undefined, name: string | undefined): Robot {
    if (found === undefined || found === 'wrong')
      throw refused('The token is wrong, or was revoked', 'token-unknown');
    if (name !== undefined && name !== found.name)
      throw refused('The token has another name', 'token-unknown');
    if (isExpired(found, ctx.now())) throw refused('The token has expired', 'token-expired');
    return found;
  }

  /** What the owner may do now, whatever was true when the token was made. */
  function ownerGrants(claims: { user?: string | undefined; robot?: string | undefined }) {
    if (claims.robot === undefined) return users.grantsOf(claims.user ?? '');
    return living(
      file().robots.find(({ id }) => id === claims.robot),
      undefined,
    ).grants;
  }

  return {
    robot(name, password) {
      const found = robotOf(file(), password);
      if (found === undefined) return undefined;
      const { id, name: user, grants } = living(found, name);
      return { user, token: id, grants };
    },
    bearer(token) {
      const direct = this.robot(undefined, token);
      if (direct) return direct;
      const claims = readBearer(file().key, token);
      if (!claims) throw refused('The token is none of this registry', 'token-unknown');
      if (claims.expires <= nowSeconds()) throw refused('The token has expired', 'token-expired');
      const { user, robot, print, grants } = claims;
      const hash = users.hashOf(user ?? '') ?? '';
      if (print !== undefined && print !== printOf(file().key, hash))
        throw refused('The password has changed since', 'token-revoked');
      const owner = user === undefined ? grants : ownerGrants({ user, robot });
      return { user, token: robot, grants, owner };
    },
    issue({ user, token: robot, grants }, scopes) {
      const { key } = file();
      const hash = robot === undefined && user !== undefined ? users.hashOf(user) : undefined;
      const token = signBearer(key, {
        user,
        robot,
        print: hash === undefined ? undefined : printOf(key, hash),
        grants: grantScopes(grants, scopes),
        expires: nowSeconds() + LIFE_SECONDS,
      });
      const issued_at = new Date(nowSeconds() * 1000).toISOString();
      return { token, access_token: token, expires_in: LIFE_SECONDS, issued_at };
    },
  };
}
