/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/** Shorter ones would blot out ordinary words. */
const SHORTEST_SECRET = 6;
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]+@/gi;
const AUTHORIZATION = /\b(basic|bearer)\s+[a-z0-9+/=._~-]{8,}/gi;
const SECRET_QUERY =
  /([?&](?:[a-z0-9_-]*(?:token|password|secret|credential|signature)|x-amz-[a-z-]+|sig)=)[^&\s"'<>]+/gi;
const AUTH_FIELD =
  /("(?:auth|password|identitytoken|registrytoken|secret)"\s*:\s*")(?:[^"\\]|\\.)*(")/gi;

const secrets = new Set<string>();

/** Remembers a secret, and the forms it takes on the wire, so that {@link redact} removes it. */
export function registerSecret(secret: string): void {
  for (const form of formsOf(secret)) {
    if (form.length >= SHORTEST_SECRET) secrets.add(form);
  }
}

/** Registers user and password, and the base64 pair an `auth` entry and a Basic header hold. */
export function registerCredential(username: string, password: string): void {
  registerSecret(password);
  registerSecret(Buffer.from(`${username}:${password}`).toString('base64'));
}

function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, encodeURIComponent(secret), json, base64, base64.replace(/=+$/, '')];
}

/** Forgets all registered secrets. For tests. */
export function forgetSecrets(): void {
  secrets.clear();
}

/** Removes registered secrets, credentials in URLs, Authorization values and secret query values. */
export function redact(text: string): string {
  let clean = text
    .replace(URL_CREDENTIALS, `$1${REDACTED}@`)
    .replace(AUTHORIZATION, `$1 ${REDACTED}`)
    .replace(SECRET_QUERY, `$1${REDACTED}`)
    .replace(AUTH_FIELD, `$1${REDACTED}$2`);
  // Longest first: a secret may contain another.
  for (const secret of [...secrets].toSorted((a, b) => b.length - a.length)) {
    if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED);
  }
  return clean;
}

/** Redacts every string inside plain JSON, keys included. */
export function redactJson<T>(value: T): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map(redactJson) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [redact(key), redactJson(inner)]),
  ) as T;
}
