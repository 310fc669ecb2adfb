import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { registerCredential } from '../../../core/redact.ts';
import { readPemBundle } from '../../../generate/install-config/certificates.ts';
import { keyType } from '../../../generate/install-config/check-identity.ts';
import type { Terminal } from '../../command.ts';

/** Splits `KEY=VALUE` of a flag. */
export function splitPair(flag: string, text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=');
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw new AtollError('USAGE', `Cannot use "--${flag} ${text}"`, {
    hint: `Write it as "--${flag} NAME=VALUE"`,
  });
}

/** `NAME=FILE` flags as names with the text of their files. */
export async function readNamedFiles(
  flag: string,
  values: readonly string[],
): Promise<Record<string, string>> {
  const pairs = values.map((value) => splitPair(flag, value));
  return Object.fromEntries(
    await Promise.all(pairs.map(async ([name, path]) => [name, await readText(path)] as const)),
  );
}

/** The text of a file of CA certificates, which has to hold some and nothing that is broken. */
export async function readCertificates(path: string): Promise<string> {
  const text = await readText(path);
  const { certificates, broken } = readPemBundle(text);
  if (certificates.length > 0 && broken.length === 0) return text;
  const found = broken.length > 0 ? `block ${broken[0]} is no certificate` : 'it holds none';
  throw new AtollError('INPUT_INVALID', `Cannot take certificates from "${path}": ${found}`, {
    hint: 'Give a PEM file with CERTIFICATE blocks, such as ca.crt',
    details: { path },
  });
}

/** `NAME=FILE` flags as names with the certificates in their files. */
export async function readNamedCertificates(
  flag: string,
  values: readonly string[],
): Promise<Record<string, string>> {
  for (const value of values) await readCertificates(splitPair(flag, value)[1]);
  return await readNamedFiles(flag, values);
}

/** The text of a file of public SSH keys. */
export async function readPublicKeys(path: string): Promise<string> {
  const text = await readText(path);
  const lines = text.split('\n').filter((line) => !/^\s*(?:#|$)/.test(line));
  if (lines.length > 0 && lines.every((line) => keyType(line.trim()))) return text;
  throw new AtollError('INPUT_INVALID', `Cannot use "${path}": it is not a public SSH key`, {
    hint: 'Give the .pub file, such as id_ed25519.pub',
    details: { path },
  });
}

export async function readOptional(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : await readText(path);
}

/** The first line of standard input: how a password comes in without anybody seeing it. */
export async function passwordFrom(terminal: Terminal, username: string): Promise<string> {
  const [password = ''] = (await terminal.readStdin()).split(/\r?\n/);
  if (password === '') {
    throw new AtollError('USAGE', 'Cannot read a password: standard input is empty', {
      hint: 'Pipe it in, as in: atoll render auth … < password.txt',
    });
  }
  registerCredential(username, password);
  return password;
}
