import type { ServerResponse } from 'node:http';
import { AtollError, messageOf, systemCodeOf } from '../../core/errors.ts';

/** The specification's codes and the status each usually comes with. Values on the wire. */
const STATUS = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 400,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  SIZE_INVALID: 400,
  UNAUTHORIZED: 401,
  DENIED: 403,
  UNSUPPORTED: 405,
  TOOMANYREQUESTS: 429,
  // Not one of the specification's: what went wrong is ours.
  UNKNOWN: 500,
} as const;

export type WireCode = keyof typeof STATUS;
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

interface WireOptions {
  readonly status?: number;
  readonly headers?: HeaderFields;
  readonly detail?: unknown;
  /** What is behind it: not for the client, but for the registry's log. */
  readonly cause?: unknown;
}

/** An answer to a client that is not a success: it ends the request, not the server. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: WireCode;
  readonly status: number;
  readonly headers: HeaderFields;
  readonly detail: unknown;

  constructor(code: WireCode, message: string, options: WireOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? STATUS[code];
    this.headers = options.headers ?? {};
    this.detail = options.detail;
  }
}

/** Answers in the specification's JSON. Once the status is out, all that is left is to hang up. */
export function sendError(response: ServerResponse, error: WireError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { code, message, detail } = error;
  const body = JSON.stringify({ errors: [{ code, message, ...(detail ? { detail } : {}) }] });
  // The length comes last: nothing in the headers may contradict the body.
  const headers = {
    ...error.headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  response.writeHead(error.status, headers as Record<string, string>);
  response.end(body);
}

const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** The file system takes no writes, or none of ours. */
const isReadOnly = (error: unknown): boolean => {
  const behind = error instanceof AtollError && error.code === 'FILE_UNWRITABLE';
  if (!behind) return systemCodeOf(error) === 'EROFS';
  return ['EROFS', 'EACCES', 'EPERM'].includes(systemCodeOf(error.cause) ?? '');
};

/** What a client is told about a failure of ours; undefined when it is a bug. */
export function wireErrorOf(error: unknown): WireError | undefined {
  if (error instanceof WireError) return error;
  if (FULL.has(systemCodeOf(error) ?? '')) return diskFull(messageOf(error));
  if (isReadOnly(error)) return readOnly(error);
  if (!(error instanceof AtollError)) return undefined;
  if (error.code === 'DISK_FULL') return diskFull(error.message);
  if (error.code === 'LOCKED') {
    return new WireError('TOOMANYREQUESTS', error.message, { headers: { 'retry-after': '1' } });
  }
  if (error.cause !== undefined && error.code === 'FILE_UNWRITABLE')
    return wireErrorOf(error.cause);
  return undefined;
}

/** 507 says whose fault it is, and that trying again at once is of no use. */
export function diskFull(message: string): WireError {
  return new WireError('DENIED', message, { status: 507 });
}

/** The same as a registry says that was told to be read-only; the operator learns why. */
function readOnly(cause: unknown): WireError {
  return new WireError('UNSUPPORTED', "The registry's store is read-only", { cause });
}
