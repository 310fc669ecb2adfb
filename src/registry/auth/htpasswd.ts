import { AtollError } from '../../core/errors.ts';
import { byFirst } from '../../core/order.ts';

/** Users and their bcrypt hashes, as Apache's htpasswd writes them. */
export type Htpasswd = ReadonlyMap<string, string>;

const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
const USER = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

export const isUserName = (text: string): boolean => USER.test(text);

export function parseHtpasswd(path: string, text: string): Htpasswd {
  const users = new Map<string, string>();
  text.split('\n').forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return;
    const colon = line.indexOf(':');
    const hash = line.slice(colon + 1);
    if (colon < 1 || !BCRYPT.test(hash)) throw invalid(path, index + 1);
    users.set(line.slice(0, colon), hash);
  });
  return users;
}

export function formatHtpasswd(users: Htpasswd): string {
  return [...users]
    .toSorted(byFirst)
    .map(([user, hash]) => `${user}:${hash}\n`)
    .join('');
}

function invalid(path: string, line: number): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot read "${path}", line ${line}: no bcrypt hash`, {
    hint: 'Make the line with "atoll registry user add", or with "htpasswd -B"',
    details: { path, line },
  });
}
