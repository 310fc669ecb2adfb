import { existsSync } from 'node:fs';
import { AtollError, type AtollErrorOptions, messageOf, systemCodeOf } from './errors.ts';
import { formatBytes } from './format.ts';

export function tooMuch(program: string, maxBytes: number): AtollError {
  return new AtollError(
    'PROGRAM_FAILED',
    `Cannot keep what "${program}" prints: it is more than ${formatBytes(maxBytes)}`,
  );
}

export function tookTooLong(program: string, timeoutMs = 0): AtollError {
  return new AtollError('TIMED_OUT', `"${program}" took longer than ${timeoutMs / 1000} s`);
}

export function notRun(
  program: string,
  { cwd, hint }: { readonly cwd?: string | undefined; readonly hint?: string | undefined },
  cause: Error,
): AtollError {
  const attempt = `Cannot run "${program}"`;
  if (systemCodeOf(cause) !== 'ENOENT')
    return new AtollError('PROGRAM_FAILED', `${attempt}: ${messageOf(cause)}`, { hint, cause });
  // The system says the same of both.
  if (cwd !== undefined && !existsSync(cwd)) return noFolder(program, cwd, cause);
  return notInstalled(program, 'here', { hint, cause });
}

export function noFolder(program: string, cwd: string, cause?: Error): AtollError {
  const found = `there is no folder "${cwd}"`;
  return new AtollError('PROGRAM_FAILED', `Cannot run "${program}": ${found}`, { cause });
}

export function notInstalled(
  program: string,
  where: string,
  options: AtollErrorOptions = {},
): AtollError {
  const found = `it is not installed ${where}`;
  return new AtollError('PROGRAM_MISSING', `Cannot run "${program}": ${found}`, options);
}
