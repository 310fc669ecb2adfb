import * as z from 'zod';
import { AtollError, messageOf } from '../core/errors.ts';
import { registerCredential, registerSecret } from '../core/redact.ts';
import type { Credential } from './credential-helper.ts';

/** One auth file, understood. Keys are as written; entries without a credential are left out. */
export interface AuthFile {
  readonly path: string;
  readonly auths: ReadonlyMap<string, Credential>;
  readonly credHelpers: ReadonlyMap<string, string>;
  readonly credsStore: string | undefined;
  /** `~/.dockercfg`: keys are URLs or hosts, never paths. */
  readonly legacy: boolean;
}

const entry = z.looseObject({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});

const auths = z.record(z.string(), entry);

const file = z.looseObject({
  auths: auths.nullish(),
  credHelpers: z.record(z.string(), z.string()).nullish(),
  credsStore: z.string().optional(),
});

type Entry = z.infer<typeof entry>;

/** Parses `auth.json`, `config.json` or (legacy) `.dockercfg`. Errors never repeat its content. */
export function parseAuthFile(path: string, text: string, legacy = false): AuthFile {
  const json = parseJson(path, text);
  const parsed = (legacy ? auths : file).safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalid(path, `${issue?.path.join('.') || 'the document'}: ${issue?.message}`);
  }
  const content = legacy
    ? { auths: parsed.data as z.infer<typeof auths> }
    : (parsed.data as z.infer<typeof file>);
  return {
    path,
    auths: credentialsOf(path, content.auths ?? {}),
    credHelpers: new Map(Object.entries(('credHelpers' in content && content.credHelpers) || {})),
    credsStore: ('credsStore' in content && content.credsStore) || undefined,
    legacy,
  };
}

function credentialsOf(path: string, entries: Record<string, Entry>): Map<string, Credential> {
  const found = new Map<string, Credential>();
  for (const [key, value] of Object.entries(entries)) {
    const credential = credentialOf(path, key, value);
    if (credential) found.set(key, credential);
  }
  return found;
}

function credentialOf(path: string, key: string, value: Entry): Credential | undefined {
  const pair = value.auth ? decodePair(path, key, value.auth) : plainPair(value);
  if (pair) registerCredential(pair.username, pair.password);
  if (value.identitytoken) {
    registerSecret(value.identitytoken);
    const user = pair?.username ? { username: pair.username } : {};
    return { kind: 'identity', ...user, token: value.identitytoken };
  }
  return pair && { kind: 'basic', ...pair };
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

function parseJson(path: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own words quote the text around the mistake, which may be a password.
    throw invalid(path, `it is not JSON${placeOf(text, messageOf(error))}`);
  }
}

function placeOf(text: string, message: string): string {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

function invalid(path: string, found: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use the auth file "${path}": ${found}`, {
    hint: 'Download the pull secret again, or log in again with "podman login --authfile FILE HOST"',
    details: { path },
  });
}
