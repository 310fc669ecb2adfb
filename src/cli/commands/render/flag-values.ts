import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { registerCredential } from '../../../core/redact.ts';
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
