import { AtollError, messageOf } from '../../core/errors.ts';
import { registerCredential, registerSecret } from '../../core/redact.ts';
import { nullish, objectOf, tableOf, text } from '../../core/shape.ts';
import type { Credential } from './credential-helper.ts';

/** One auth file, understood. Keys are as written; undefined where an entry holds no credential. */
export interface AuthFile {
  readonly path: string;
  readonly auths: ReadonlyMap<string, Credential | undefined>;
  readonly credHelpers: ReadonlyMap<string, string>;
  readonly credsStore: string | undefined;
  /** `~/.dockercfg`: keys are URLs or hosts, never paths. */
  readonly legacy: boolean;
}

interface Entry {
  readonly auth?: string | null;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly identitytoken?: string | null;
}

type Auths = Readonly<Record<string, Entry | null>>;

interface Content {
  readonly auths?: Auths | null;
  readonly credHelpers?: Readonly<Record<string, string>> | null;
  readonly credsStore?: string | null;
}

const authsShape = tableOf(
  nullish(
    objectOf({
      auth: nullish(text),
      username: nullish(text),
      password: nullish(text),
      identitytoken: nullish(text),
    }),
  ),
);

const fileShape = objectOf({
  auths: nullish(authsShape),
  credHelpers: nullish(tableOf(text)),
  credsStore: nullish(text),
});

/** Parses `auth.json`, `config.json` or (legacy) `.dockercfg`. Errors never repeat its content. */
export function parseAuthFile(path: string, written: string, legacy = false): AuthFile {
  const json = parseContent(path, written);
  const problem = (legacy ? authsShape : fileShape)(json);
  if (problem !== undefined) throw invalid(path, problem);
  const content: Content = legacy ? { auths: json as Auths } : (json as Content);
  return {
    path,
    auths: credentialsOf(path, content.auths ?? {}),
    credHelpers: new Map(Object.entries(content.credHelpers ?? {})),
    credsStore: content.credsStore || undefined,
    legacy,
  };
}

function credentialsOf(path: string, entries: Auths): Map<string, Credential | undefined> {
  return new Map(
    Object.entries(entries).map(([key, value]) => [key, credentialOf(path, key, value ?? {})]),
  );
}

function credentialOf(path: string, key: string, value: Entry): Credential | undefined {
  const pair = value.auth ? decodePair(path, key, value.auth) : plainPair(value);
  if (pair) registerCredential(pair.username, pair.password);
  if (value.identitytoken) {
    registerSecret(value.identitytoken);
    const user = pair?.username ? { username: pair.username } : {};
    const password = pair?.password ? { password: pair.password } : {};
    return { kind: 'identity', ...user, ...password, token: value.identitytoken };
  }
  return pair && (pair.username || pair.password) ? { kind: 'basic', ...pair } : undefined;
}

function plainPair({ username, password }: Entry): Pair | undefined {
  return username && password ? { username, password } : undefined;
}

interface Pair {
  readonly username: string;
  readonly password: string;
}

function decodePair(path: string, key: string, auth: string): Pair {
  registerSecret(auth);
  const decoded = Buffer.from(auth, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) {
    throw invalid(path, `auths["${key}"].auth is not the base64 form of "user:password"`);
  }
  // Old Docker versions padded the password with zero bytes.
  const password = decoded.slice(colon + 1).replace(/^\0+|\0+$/g, '');
  return { username: decoded.slice(0, colon), password };
}

function parseContent(path: string, written: string): unknown {
  if (written.trim() === '') return {};
  try {
    return JSON.parse(written);
  } catch (error) {
    // The parser's own words quote the text around the mistake, which may be a password.
    throw invalid(path, `it is not JSON${placeOf(written, messageOf(error))}`);
  }
}

function placeOf(written: string, message: string): string {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return '';
  const before = written.slice(0, Number(position)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

function invalid(path: string, found: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use the auth file "${path}": ${found}`, {
    hint: 'Download the pull secret again, or log in again with "podman login --authfile FILE HOST"',
    details: { path },
  });
}
