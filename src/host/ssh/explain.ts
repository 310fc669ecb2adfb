import type { ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';

interface Meaning {
  readonly words: RegExp;
  readonly code: ErrorCode;
  readonly hint: string;
}

// `ssh` has one status for all that can go wrong with a connection: the rest are words.
const MEANINGS: readonly Meaning[] = [
  {
    words: /HOST IDENTIFICATION HAS CHANGED|Host key verification failed|host key is known for/i,
    code: 'HOST_KEY_UNTRUSTED',
    hint: 'Compare the key with the one on the console of the host; then pin it: bastion.hostKeys or bastion.knownHosts',
  },
  {
    words: /UNPROTECTED PRIVATE KEY FILE|bad permissions/i,
    code: 'HOST_DENIED',
    hint: 'The private key must be readable by you alone: chmod 600',
  },
  {
    words: /Permission denied|Too many authentication failures|no mutual signature/i,
    code: 'HOST_DENIED',
    hint: 'Check user and key: a key with a passphrase has to be in the agent (ssh-add)',
  },
  {
    words: /Could not resolve hostname/i,
    code: 'NAME_UNRESOLVED',
    hint: 'Check the address, and the DNS it is looked up in',
  },
  {
    words: /Bad configuration option|keyword .* extra arguments|terminating, \d+ bad/i,
    code: 'INPUT_INVALID',
    hint: 'Correct the SSH configuration that is named',
  },
];

/** What the words of a failed `ssh` mean. */
export function explain(name: string, stderr: string): AtollError {
  const said = lastWords(stderr);
  const meaning = MEANINGS.find(({ words }) => words.test(stderr));
  return new AtollError(
    meaning?.code ?? 'HOST_UNREACHABLE',
    `Cannot connect to ${name}: ${said || 'ssh ended without a word'}`,
    {
      hint: meaning?.hint ?? 'Check address, port, firewall and that sshd runs there',
      details: { host: name },
    },
  );
}

/** The line was there, and is gone. */
export function disconnected(name: string, what: string): AtollError {
  return new AtollError('HOST_DISCONNECTED', `Lost the connection to ${name} while ${what}`, {
    hint: 'Run the same command again: it goes on where it stopped',
    details: { host: name },
  });
}

function lastWords(stderr: string): string {
  const lines = stderr.split(/\r?\n/).filter((line) => /[a-z]/i.test(line));
  return lines.slice(-2).join('; ');
}
