import type { ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { redact } from '../../core/redact.ts';
import type { Response } from '../../http/response.ts';

/** What a request was about, for messages. */
export interface Subject {
  /** What was tried, as a verb: `read`, `write`, `delete`. */
  readonly action: string;
  readonly registry: string;
  readonly repository?: string | undefined;
  /** Tag or digest. */
  readonly reference?: string | undefined;
}

/** What a registry said in an error body. */
export interface RegistryWords {
  /** Codes of the specification, such as `DENIED`. */
  readonly codes: readonly string[];
  readonly text: string;
}

const BODY_BYTES = 64 * 1024;
const TEXT_LENGTH = 300;
const QUOTA = /\bquota\b|no space left|insufficient storage|storage limit/i;
const POLICY = /policy|vulnerab|blocked by|not allowed by|immutable/i;
const LOST_BLOB = new Set(['BLOB_UNKNOWN', 'MANIFEST_BLOB_UNKNOWN']);

export function nameOf({ registry, repository, reference }: Subject): string {
  const path = repository === undefined ? registry : `${registry}/${repository}`;
  if (reference === undefined) return path;
  return `${path}${reference.includes(':') ? '@' : ':'}${reference}`;
}

/** Failures on the way know only a host; this adds what was wanted from it. */
export function about(subject: Subject, error: unknown): unknown {
  if (!(error instanceof AtollError)) return error;
  const { registry, repository } = error.details;
  if (registry === undefined || repository !== undefined) return error;
  const found = error.message.charAt(0).toLowerCase() + error.message.slice(1);
  return new AtollError(error.code, `Cannot ${subject.action} ${nameOf(subject)}: ${found}`, {
    hint: error.hint,
    details: { ...error.details, ...placeOf(subject) },
    cause: error.cause,
  });
}

function placeOf({ repository, reference }: Subject) {
  return {
    ...(repository === undefined ? {} : { repository }),
    ...(reference === undefined ? {} : { reference }),
  };
}

/** The error for an answer that is not what was asked for; reads its body. */
export async function refusal(response: Response, subject: Subject): Promise<AtollError> {
  const words = await readWords(response);
  const code = codeFor(response, words);
  const status = `${response.status} ${response.reason}`.trim();
  const said = words.text ? `: ${words.text}` : '';
  const retryAfterMs = retryAfterOf(response);
  return new AtollError(code, `Cannot ${subject.action} ${nameOf(subject)}: ${status}${said}`, {
    hint: hintFor(code, subject, response.status),
    details: {
      registry: subject.registry,
      ...placeOf(subject),
      status: response.status,
      ...(words.codes[0] === undefined ? {} : { registryCode: words.codes[0] }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
}

function codeFor({ status, headers }: Response, { codes, text }: RegistryWords): ErrorCode {
  if (status === 429 || codes.includes('TOOMANYREQUESTS')) return 'REGISTRY_THROTTLED';
  if (status === 507 || status === 413 || QUOTA.test(text)) return 'REGISTRY_QUOTA';
  if (status === 401) return isExpired(headers, text) ? 'TOKEN_EXPIRED' : 'REGISTRY_DENIED';
  if (status >= 500 || status === 408 || status === 425) return 'REGISTRY_UNAVAILABLE';
  if (status >= 400 && POLICY.test(`${codes.join(' ')} ${text}`)) return 'REGISTRY_POLICY';
  if (status === 403) return 'REGISTRY_DENIED';
  if (codes.some((code) => LOST_BLOB.has(code))) return 'CONTENT_MISSING';
  return status === 404 ? 'IMAGE_UNKNOWN' : 'REGISTRY_REFUSED';
}

function isExpired(headers: Readonly<Record<string, string>>, text: string): boolean {
  const challenge = headers['www-authenticate'] ?? '';
  return /error="?invalid_token/.test(challenge) || /expired/i.test(`${challenge} ${text}`);
}

function hintFor(code: ErrorCode, subject: Subject, status: number): string | undefined {
  const { registry, repository } = subject;
  switch (code) {
    case 'REGISTRY_DENIED':
      return `Check that the credentials for ${registry} may ${subject.action} ${repository ?? 'there'}; give others with --authfile FILE`;
    case 'TOKEN_EXPIRED':
      return `Log in to ${registry} again, and check the clock of this machine`;
    case 'REGISTRY_THROTTLED':
      return `Wait, or log in to ${registry}: many registries allow more to known users`;
    case 'REGISTRY_QUOTA':
      return status === 413
        ? `Raise the size limit of ${registry} or of the proxy before it, for example client_max_body_size`
        : `Free some space at ${registry}, or raise its quota, and run the same command again`;
    case 'REGISTRY_POLICY':
      return `Ask who runs ${registry} to allow it, or take another image`;
    case 'CONTENT_MISSING':
      return 'Run the same command again: what is missing is sent anew';
    case 'IMAGE_UNKNOWN':
      return `Check the spelling, and that the repository or project exists at ${registry}`;
    case 'REGISTRY_UNAVAILABLE':
      return `Look into the log of ${registry}, then run the same command again`;
    default:
      return status === 405
        ? `${registry} does not support this; for deletes, enable them in its configuration`
        : undefined;
  }
}

/** `Retry-After` as a time to wait: seconds or a date. */
export function retryAfterOf(response: Response): number | undefined {
  const value = response.headers['retry-after'];
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Reads what the registry has to say: the specification's JSON, or the gist of anything else. */
async function readWords(response: Response): Promise<RegistryWords> {
  const bytes = await response.bytes(BODY_BYTES).catch(() => undefined);
  const body = bytes?.toString('utf8') ?? '';
  return fromJson(body) ?? { codes: [], text: gist(body) };
}

function fromJson(body: string): RegistryWords | undefined {
  try {
    const json: unknown = JSON.parse(body);
    const errors = (json as { errors?: unknown }).errors;
    const list = (Array.isArray(errors) ? errors : [json]) as Record<string, unknown>[];
    const codes = list.map((error) => error.code).filter((code) => typeof code === 'string');
    return { codes, text: shorten(list.map(oneError).filter(Boolean).join('; ')) };
  } catch {
    return undefined;
  }
}

function oneError(error: Record<string, unknown>): string {
  const detail = typeof error.detail === 'string' ? error.detail : undefined;
  const parts = [error.code, error.message ?? error.error_description ?? error.details, detail];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(': ');
}

function gist(body: string): string {
  const title = /<title>([^<]*)<\/title>/i.exec(body)?.[1];
  return shorten(title ?? (body.trimStart().startsWith('<') ? '' : body));
}

function shorten(text: string): string {
  const line = redact(text).replace(/\s+/g, ' ').trim();
  return line.length > TEXT_LENGTH ? `${line.slice(0, TEXT_LENGTH)}…` : line;
}
