import { AtollError } from '../../core/errors.ts';
import { registerCredential, registerSecret } from '../../core/redact.ts';
import { objectOf, parseJson, text } from '../../core/shape.ts';

/** What a registry can be shown: a user and password, or a token to trade for others. */
export type Credential =
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | {
      readonly kind: 'identity';
      readonly username?: string | undefined;
      /** For registries that trade no tokens. */
      readonly password?: string | undefined;
      readonly token: string;
    };

type Env = Readonly<Record<string, string | undefined>>;

const NAME = /^[A-Za-z0-9._-]+$/;
const NOT_FOUND = /credentials not found/i;
const TIMEOUT_MS = 60_000;
/** Its answer serves every request that waits for it, so none of them stops it. */
const UNSTOPPED = { signal: new AbortController().signal };
/** The user name that says the secret is an identity token. */
const TOKEN_USER = '<token>';

const answerShape = objectOf({ Username: text, Secret: text });

interface Answer {
  readonly Username: string;
  readonly Secret: string;
}

/**
 * Asks `docker-credential-<helper>` for one server. The name goes in on stdin and the secret comes
 * back on stdout, so neither shows in the process list. Undefined when the helper knows none.
 */
export async function askCredentialHelper(
  helper: string,
  server: string,
  env: Env,
): Promise<Credential | undefined> {
  if (!NAME.test(helper)) {
    throw new AtollError('INPUT_INVALID', `Cannot use credential helper "${helper}": no such name`);
  }
  const program = `docker-credential-${helper}`;
  // Most runs never ask a helper, and loading this takes a moment.
  const { runProgram } = await import('../../core/process.ts');
  const { status, stdout, stderr } = await runProgram(UNSTOPPED, program, ['get'], {
    environment: env,
    input: server,
    timeoutMs: TIMEOUT_MS,
    hint: 'Install it, or remove the helper from the auth file and log in again',
  });
  if (status === 0) return parseAnswer(program, server, stdout);
  const said = (stdout.trim() || stderr.trim()).split('\n')[0] ?? '';
  if (NOT_FOUND.test(said)) return undefined;
  throw new AtollError(
    'PROGRAM_FAILED',
    `Cannot ask ${program} for "${server}": ${said || `it ended with status ${status}`}`,
    {
      hint: `Try it by hand: echo ${server} | ${program} get`,
    },
  );
}

function parseAnswer(program: string, server: string, stdout: string): Credential | undefined {
  const answer = parseJson(stdout);
  if (answerShape(answer)) {
    // What it said may hold the secret, so it is not repeated.
    throw new AtollError('PROGRAM_FAILED', `Cannot read what ${program} says about "${server}"`, {
      hint: 'It should print JSON with the fields Username and Secret',
    });
  }
  const { Username: username, Secret: secret } = answer as Answer;
  if (username === '' && secret === '') return undefined;
  registerSecret(secret);
  if (username === TOKEN_USER) return { kind: 'identity', token: secret };
  registerCredential(username, secret);
  return { kind: 'basic', username, password: secret };
}
