import { AtollError, systemCodeOf } from '../../core/errors.ts';
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
  const { code, stdout, stderr } = await run(program, server, env);
  if (code === 0) return parseAnswer(program, server, stdout);
  const said = (stdout.trim() || stderr.trim()).split('\n')[0] ?? '';
  if (NOT_FOUND.test(said)) return undefined;
  throw new AtollError(
    'PROGRAM_FAILED',
    `Cannot ask ${program} for "${server}": ${said || `it ended with status ${code}`}`,
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

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(program: string, input: string, env: Env): Promise<Ended> {
  // Most runs never ask a helper, and loading this takes a moment.
  const { spawn } = await import('node:child_process');
  return await new Promise((resolve, reject) => {
    const child = spawn(program, ['get'], { env: { ...env }, timeout: TIMEOUT_MS });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    child.on('error', (error) => reject(notStarted(program, error)));
    child.on('close', (code) => resolve({ code: code ?? -1, ...output }));
    // A helper that does not read its input closes the pipe early; its exit tells the rest.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function notStarted(program: string, cause: Error): AtollError {
  const missing = systemCodeOf(cause) === 'ENOENT';
  return new AtollError(
    missing ? 'PROGRAM_MISSING' : 'PROGRAM_FAILED',
    `Cannot run ${program}, which the auth file names: ${missing ? 'it is not on the PATH' : cause.message}`,
    { hint: 'Install it, or remove the helper from the auth file and log in again', cause },
  );
}
