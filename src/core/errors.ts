import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

export type Details = Readonly<Record<string, string | number | boolean>>;

export interface AtollErrorOptions {
  /** The next thing the operator should do, as an imperative sentence. */
  readonly hint?: string | undefined;
  /** Facts a program may want: paths, hosts, digests. Never secrets. */
  readonly details?: Details | undefined;
  readonly cause?: unknown;
}

/** A failure the operator can act on. Bugs stay plain `Error`s and keep their stack. */
export class AtollError extends Error {
  override readonly name = 'AtollError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: Details;

  constructor(code: ErrorCode, message: string, options: AtollErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

export function isTransient(error: unknown): boolean {
  return error instanceof AtollError && ERROR_CODES[error.code].transient;
}

export function exitCodeOf(error: unknown): number {
  return error instanceof AtollError ? ERROR_CODES[error.code].exit : 1;
}

/** The words of an unknown failure, for use inside another message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` Node puts on system errors (`ENOENT`, `ECONNRESET`), where there is one. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
