import * as z from 'zod';
import { AtollError } from '../core/errors.ts';
import { sortedRecord } from '../core/order.ts';
import { isLocation } from '../oci/registries/location.ts';

/** How to log in at one registry, or below one of its paths. */
export interface RegistryCredential {
  /** `host[:port][/path]`, as in image references. */
  readonly registry: string;
  readonly username: string;
  readonly password: string;
  readonly email?: string | undefined;
}

export interface PullSecretInput {
  /** A pull secret or auth file to start from; its text. */
  readonly existing?: string | undefined;
  readonly add: readonly RegistryCredential[];
  /** Which entries of `existing` stay: all (the default), none, or these registries. */
  readonly keep?: 'all' | 'none' | readonly string[] | undefined;
}

const entry = z.looseObject({
  auth: z.string().optional(),
  credsStore: z.string().optional(),
});
const schema = z.looseObject({ auths: z.record(z.string(), entry) });

export type PullSecretEntry = z.infer<typeof entry>;
export type PullSecret = { readonly auths: Readonly<Record<string, PullSecretEntry>> };

/** A pull secret as `oc` and the installer want it. Errors never show its content. */
export function parsePullSecret(text: string, subject = 'the pull secret'): PullSecret {
  const parsed = schema.safeParse(readJson(text, subject));
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') || 'auths';
    throw unusable(subject, `"${field}" is missing or has the wrong type`);
  }
  return { auths: parsed.data.auths };
}

/**
 * Adds credentials to a pull secret. New entries win over old ones of the same name; only `auths`
 * survives, because helpers and stores of this machine mean nothing on a node.
 */
export function mergePullSecret(input: PullSecretInput): PullSecret {
  const existing = input.existing === undefined ? {} : parsePullSecret(input.existing).auths;
  const keep = input.keep ?? 'all';
  const kept = Object.entries(existing).filter(([registry]) => isKept(keep, registry));
  const added = input.add.map((credential) => [credential.registry, entryOf(credential)] as const);
  return { auths: sortedRecord(Object.fromEntries([...kept, ...added])) };
}

/** One line, as `install-config.yaml` and `oc` hold it. */
export function formatPullSecret(secret: PullSecret): string {
  return JSON.stringify(secret);
}

/** The credentials that apply to a location: the entry with the longest matching name. */
export function credentialFor(secret: PullSecret, location: string): PullSecretEntry | undefined {
  const [best] = Object.keys(secret.auths)
    .filter((name) => `${location}/`.startsWith(`${plainName(name)}/`))
    .toSorted((a, b) => plainName(b).length - plainName(a).length);
  return best === undefined ? undefined : secret.auths[best];
}

/** User and password of an entry, or undefined when it is not `base64(user:password)`. */
export function decodeAuth(
  entry: PullSecretEntry,
): { readonly username: string; readonly password: string } | undefined {
  const text = Buffer.from(entry.auth ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function isKept(keep: 'all' | 'none' | readonly string[], registry: string): boolean {
  if (keep === 'all' || keep === 'none') return keep === 'all';
  return keep.includes(registry);
}

function entryOf({ registry, username, password, email }: RegistryCredential): PullSecretEntry {
  if (!isLocation(registry)) {
    throw new AtollError('INPUT_INVALID', `Cannot add credentials for "${registry}"`, {
      hint: 'Write "host[:port][/path]" without scheme',
    });
  }
  if (username === '' || username.includes(':')) {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot add credentials for "${registry}": bad user name`,
      {
        hint: 'A user name is not empty and has no colon',
      },
    );
  }
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  return { auth, ...(email === undefined ? {} : { email }) };
}

/** Docker writes some names as URLs; what counts is the host and path in them. */
const plainName = (name: string): string =>
  name.replace(/^https?:\/\//, '').replace(/\/(?:v[12]\/?)?$/, '');

function readJson(text: string, subject: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words would quote the secret.
    throw unusable(subject, 'it is not JSON');
  }
}

function unusable(subject: string, found: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use ${subject}: ${found}`, {
    hint: 'Give a JSON file of the form {"auths":{"HOST":{"auth":"…"}}}',
  });
}
