import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Only names of this machine: a page elsewhere whose name was made to lead here sends its own. */
const LOCAL_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const SESSION_MS = 12 * 60 * 60 * 1000;

/** Headers of a request that decide about access. */
export interface AskedBy {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly cookie?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

/** Access by a cookie, which the one-time link that the terminal showed sets. */
export interface PageAccess {
  /** A link's secret. It works once. */
  newToken(): string;
  /** The `Set-Cookie` for a token, or undefined for one that is used up or made up. */
  redeem(token: string): string | undefined;
  isKnown(by: AskedBy): boolean;
}

/** With the same key a server that was restarted knows the cookies it gave before. */
export function createAccess(key: Buffer, now: () => Date): PageAccess {
  const tokens = new Set<string>();
  // Cookies do not tell ports apart: two dashboards on one machine must not take each other's.
  const name = `atoll-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`;
  const sign = (until: string) => createHmac('sha256', key).update(until).digest('base64url');
  return {
    newToken() {
      const token = randomBytes(24).toString('base64url');
      tokens.add(token);
      return token;
    },
    redeem(token) {
      if (!tokens.delete(token)) return undefined;
      const until = String(now().getTime() + SESSION_MS);
      const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${SESSION_MS / 1000}`;
      return `${name}=${until}.${sign(until)}; ${flags}`;
    },
    isKnown({ cookie = '' }) {
      const own = cookie.split(/;\s*/).find((one) => one.startsWith(`${name}=`));
      const [until = '', signature = ''] = own?.slice(name.length + 1).split('.') ?? [];
      return isSame(signature, sign(until)) && Number(until) > now().getTime();
    },
  };
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** Behind `ssh -L` the port is another one, the name is not. */
export function isLocalHost(host: string | undefined): boolean {
  const [, name = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(host ?? '') ?? [];
  return LOCAL_NAMES.has(name.toLowerCase());
}

/** A request that changes something has to come from the page itself. */
export function isFromPage({ host, origin, 'sec-fetch-site': site }: AskedBy): boolean {
  return origin === `http://${host}` && (site === undefined || site === 'same-origin');
}
