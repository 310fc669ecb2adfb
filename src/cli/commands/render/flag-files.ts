import * as z from 'zod';
import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { inputError, parseYamlInput } from '../../../core/yaml-input.ts';
import { readPemBundle } from '../../../generate/install-config/certificates.ts';
import { keyType } from '../../../generate/install-config/sections/identity.ts';
import { formatPullSecret, parsePullSecret } from '../../../generate/pull-secret.ts';
import { many, some, text } from './flags.ts';

// Flags whose value is a file on this machine, or NAME=VALUE.

/** Splits `KEY=VALUE` of a flag. */
export function splitPair(flag: string, pair: string): readonly [key: string, value: string] {
  const at = pair.indexOf('=');
  if (at > 0 && at < pair.length - 1) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new AtollError('USAGE', `Cannot use "--${flag} ${pair}"`, {
    hint: `Write it as "--${flag} NAME=VALUE"`,
  });
}

/** `KEY=VALUE` of the flag with this name. */
export const pair = (flag: string) => z.string().transform((given) => splitPair(flag, given));

/** The text of a file. */
export const file = (summary: string) => text('FILE', summary).transform(readText);

/** A YAML file, checked against a schema. */
export const yamlFile = <S extends z.ZodType>(summary: string, schema: S) =>
  text('FILE', summary).transform(async (path): Promise<z.output<S>> => {
    const parsed = parseYamlInput(schema, await readText(path));
    if (parsed.value === undefined) throw inputError(path, parsed.problems);
    return parsed.value;
  });

/** `NAME=FILE`: names with the texts of their files. */
export const namedFiles = (flag: string, summary: string) =>
  many('NAME=FILE', summary, named(flag, readText)).transform(toRecord);

export const namedCertificates = (flag: string, summary: string) =>
  many('NAME=FILE', summary, named(flag, readCertificates)).transform(toRecord);

/** The same, and at least one. */
export const someCertificates = (flag: string, value: string, summary: string) =>
  some(value, summary, named(flag, readCertificates)).transform(toRecord);

function named(flag: string, read: (path: string) => Promise<string>) {
  return pair(flag).transform(async ([name, path]) => [name, await read(path)] as const);
}

function toRecord(
  entries: readonly (readonly [string, string])[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(entries);
}

export const certificateFiles = (summary: string) =>
  many('FILE', summary, z.string().transform(readCertificates));

export const publicKeyFiles = (summary: string) =>
  many('FILE', summary, z.string().transform(readPublicKeys));

/** A pull secret, in the form that oc and nodes want. */
export const pullSecretFile = (summary: string) =>
  text('FILE', summary).transform(async (path) =>
    formatPullSecret(parsePullSecret(await readText(path), `"${path}"`)),
  );

/** The text of a file of CA certificates, which has to hold some and nothing that is broken. */
async function readCertificates(path: string): Promise<string> {
  const pem = await readText(path);
  const { certificates, broken } = readPemBundle(pem);
  if (certificates.length > 0 && broken.length === 0) return pem;
  const found = broken.length > 0 ? `block ${broken[0]} is no certificate` : 'it holds none';
  throw new AtollError('INPUT_INVALID', `Cannot take certificates from "${path}": ${found}`, {
    hint: 'Give a PEM file with CERTIFICATE blocks, such as ca.crt',
    details: { path },
  });
}

/** The text of a file of public SSH keys. */
async function readPublicKeys(path: string): Promise<string> {
  const keys = await readText(path);
  const lines = keys.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line));
  if (lines.length > 0 && lines.every((line) => keyType(line.trim()))) return keys;
  throw new AtollError('INPUT_INVALID', `Cannot use "${path}": it is not a public SSH key`, {
    hint: 'Give the .pub file, such as id_ed25519.pub',
    details: { path },
  });
}
