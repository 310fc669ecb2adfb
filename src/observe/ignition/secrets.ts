import { createHash } from 'node:crypto';
import { registerSecret } from '../../core/redact.ts';
import { yamlDocuments } from '../../core/yaml.ts';
import type { IgnitionFile, ParsedIgnition } from './config.ts';

/** What is secret in a config, told without telling it. */
export interface SecretSummary {
  readonly path: string;
  readonly holds: string;
}

const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;
const ENCODED_KEY = /\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g;

export function secretsOf(files: readonly IgnitionFile[], config: ParsedIgnition): SecretSummary[] {
  const inFiles = files.flatMap((file) => {
    const text = file.content?.toString('utf8') ?? '';
    const holds = [pullSecret(text), privateKey(text), secretManifest(text)];
    return holds.filter((one) => one !== undefined).map((one) => ({ path: file.path, holds: one }));
  });
  const inUsers = (config.passwd?.users ?? []).flatMap(({ name, passwordHash }) =>
    passwordHash ? [{ path: `user ${name}`, holds: 'password hash' }] : [],
  );
  return [...inFiles, ...inUsers];
}

/** `name: type comment SHA256:…` for each key that may log in. */
export function loginKeysOf(config: ParsedIgnition): string[] {
  return (config.passwd?.users ?? []).flatMap(({ name, sshAuthorizedKeys }) =>
    (sshAuthorizedKeys ?? []).map((key) => {
      const [type = '', data = '', ...comment] = key.trim().split(/\s+/);
      const hash = createHash('sha256').update(Buffer.from(data, 'base64')).digest('base64');
      return `${name}: ${[type, ...comment].join(' ')} SHA256:${hash.replace(/=+$/, '')}`;
    }),
  );
}

/** The registries a credentials file knows; the credentials themselves are only remembered to be hidden. */
export function registriesIn(text: string): string[] | undefined {
  const found = /\{[\s\S]*"auths"\s*:[\s\S]*\}/.exec(text)?.[0];
  if (found === undefined) return undefined;
  try {
    const { auths } = JSON.parse(found) as { auths?: Record<string, { auth?: unknown }> };
    for (const { auth } of Object.values(auths ?? {})) {
      if (typeof auth === 'string') registerSecret(auth);
    }
    return Object.keys(auths ?? {}).toSorted();
  } catch {
    return undefined;
  }
}

function pullSecret(text: string): string | undefined {
  const registries = registriesIn(text);
  return registries ? `credentials for ${registries.join(', ') || 'no registry'}` : undefined;
}

function privateKey(text: string): string | undefined {
  if (PRIVATE_KEY.test(text)) return 'private key';
  const hidden = [...text.matchAll(ENCODED_KEY)].some(([base64]) =>
    PRIVATE_KEY.test(Buffer.from(base64, 'base64').toString('latin1')),
  );
  return hidden ? 'private key, encoded' : undefined;
}

function secretManifest(text: string): string | undefined {
  if (!/^kind:\s*"?Secret"?\s*$/m.test(text)) return undefined;
  const documents = yamlDocuments(text, 'strict');
  if (documents.some(({ error }) => error)) return 'Secret';
  const keys = documents.flatMap((document) => {
    const { data, stringData } = (document.value() ?? {}) as Record<string, object | undefined>;
    return [...Object.keys(data ?? {}), ...Object.keys(stringData ?? {})];
  });
  return `Secret with ${keys.join(', ') || 'no keys'}`;
}
