import { AtollError } from '../core/errors.ts';
import { registerCredential } from '../core/redact.ts';
import type { Terminal } from './command.ts';

/**
 * The first line of standard input, so that a password is in no command line and no history.
 * `example` is a command that pipes one in.
 */
export async function passwordFromStdin(
  terminal: Pick<Terminal, 'readStdin'>,
  username: string,
  example: string,
): Promise<string> {
  const [password = ''] = (await terminal.readStdin()).split(/\r?\n/);
  if (password === '') {
    throw new AtollError('USAGE', 'Cannot read a password: standard input is empty', {
      hint: `Pipe it in, as in: ${example}`,
    });
  }
  registerCredential(username, password);
  return password;
}
