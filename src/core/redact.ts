/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/** Shorter ones would blot out ordinary words. */
const SHORTEST_SECRET = 6;
/** `user:password@` before a host; what stands before `@sha256:` is an image, not a user. */
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]+@(?!sha(?:256|512):)/gi;
/** A scheme and a token. Words of prose ("basic authentication") have no digit, capital or sign. */
const AUTHORIZATION =
  /\b([Bb]asic|[Bb]earer|BASIC|BEARER)\s+(?=\S*[0-9A-Z=+/_~])[A-Za-z0-9+/=._~-]{8,}/g;
const SECRET_QUERY =
  /([?&](?:[a-z0-9_-]*(?:token|password|secret|credential|signature)|x-amz-[a-z-]+|sig|[a-z]+_sign)=)[^&\s"'<>]+/gi;
const AUTH_FIELD =
  /("(?:auth|password|identitytoken|registrytoken|secret)"\s*:\s*")(?:[^"\\]|\\.)*(")/gi;

/** Names of images, files and fields: each of the above has a sign or a space that these do not have. */
const HARMLESS = /^[\w.:/-]*$/;

/** Fields whose value is a secret wherever they stand. */
const SECRET_KEY = /^(?:password|identitytoken|registrytoken)$/i;

const secrets = new Set<string>();
/** Longest first: a secret may contain another. Made again after each registration. */
let longestFirst: readonly string[] | undefined;

/** Remembers a secret, and the forms it takes on the wire, so that {@link redact} removes it. */
export function registerSecret(secret: string): void {
  for (const form of formsOf(secret)) {
    if (form.length >= SHORTEST_SECRET) secrets.add(form);
  }
  longestFirst = undefined;
}

/** Registers user and password, and the base64 pair an `auth` entry and a Basic header hold. */
export function registerCredential(username: string, password: string): void {
  registerSecret(password);
  registerSecret(Buffer.from(`${username}:${password}`).toString('base64'));
}

/** Registers all that a pull secret or auth file holds: itself, its entries, and their passwords. */
export function registerPullSecret(text: string): void {
  registerSecret(text.trim());
  for (const entry of entriesOf(text)) {
    for (const key of ['auth', 'password', 'identitytoken', 'registrytoken'] as const) {
      if (typeof entry[key] === 'string') registerSecret(entry[key]);
    }
    if (typeof entry.auth !== 'string') continue;
    const [, password = ''] = /^[^:]*:([\s\S]*)$/.exec(decoded(entry.auth)) ?? [];
    registerSecret(password);
  }
}

function entriesOf(text: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(text);
    registerSecret(JSON.stringify(value));
    const auths = (value as { auths?: unknown } | null)?.auths;
    return Object.values(auths ?? {}).filter(
      (entry) => typeof entry === 'object' && entry !== null,
    );
  } catch {
    // The reader of the file reports what is wrong with it; here it is registered as a secret all the same.
    return [];
  }
}

const decoded = (base64: string) => Buffer.from(base64, 'base64').toString('utf8');

function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  const base64url = Buffer.from(secret).toString('base64url');
  const forms = [secret, urlEncoded(secret), json, base64, base64.replace(/=+$/, ''), base64url];
  return [...forms, ...linesOfKey(secret)];
}

/** Text that is not well formed cannot be in a URL either. */
function urlEncoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A log may show a private key line by line. */
function linesOfKey(secret: string): string[] {
  if (!secret.includes('PRIVATE KEY')) return [];
  return secret.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
}

/** Forgets all registered secrets. For tests. */
export function forgetSecrets(): void {
  secrets.clear();
  longestFirst = undefined;
}

/** Removes registered secrets, credentials in URLs, Authorization values and secret query values. */
export function redact(text: string): string {
  let clean = text;
  longestFirst ??= [...secrets].toSorted((a, b) => b.length - a.length);
  for (const secret of longestFirst) {
    if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED);
  }
  if (HARMLESS.test(clean)) return clean;
  return clean
    .replace(URL_CREDENTIALS, `$1${REDACTED}@`)
    .replace(AUTHORIZATION, `$1 ${REDACTED}`)
    .replace(SECRET_QUERY, `$1${REDACTED}`)
    .replace(AUTH_FIELD, `$1${REDACTED}$2`);
}

/** Redacts every string inside plain JSON, keys included. */
export function redactJson<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map(redactJson) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      redact(key),
      SECRET_KEY.test(key) && typeof inner === 'string' ? REDACTED : redactJson(inner),
    ]),
  ) as T;
}
