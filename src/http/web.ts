import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ChunkSink } from '../core/chunk-sink.ts';
import type { Context } from '../core/context.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import { unreadable } from '../core/files.ts';
import { formatBytes } from '../core/format.ts';
import { redact } from '../core/redact.ts';
import { type RetryPolicy, retry } from '../core/retry.ts';
import { HTTP_TUNING, type HttpOptions } from './options.ts';
import type { Response } from './response.ts';
import { createServerRoutes } from './server-routes.ts';
import { Transport } from './transport.ts';

/** Documents by URL: update graphs, signatures, charts. Not for images, which registries have. */
export interface Web {
  /** The whole document, or undefined when there is none at this place (404, no such file). */
  get(ctx: Context, url: string, options?: GetOptions): Promise<Uint8Array | undefined>;
  /**
   * Feeds a long document to a sink, once, from `offset` on where the server can; `begin` is told from where.
   * False when there is none at this place. Over HTTP only.
   */
  download(ctx: Context, url: string, download: Download): Promise<boolean>;
  close(): void;
}

export interface GetOptions {
  readonly accept?: string;
  /** A longer document is an error. */
  readonly maxBytes?: number;
  /** Shown to the host of the URL alone, never to one it redirects to. */
  readonly login?: { readonly username: string; readonly password: string } | undefined;
}

export interface Download {
  readonly offset: number;
  readonly begin: (offset: number) => void;
  readonly sink: ChunkSink;
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const MAX_REDIRECTS = 5;

/** `https:`, `http:` and `file:`, with the proxy and the trust the registries are reached with. */
export function createWeb(options: HttpOptions = {}, policy: Partial<RetryPolicy> = {}): Web {
  const transport = new Transport(createServerRoutes(options), HTTP_TUNING);
  const { insecure } = options;
  const verifies = ({ host }: URL) =>
    !(Array.isArray(insecure) ? insecure.includes(host) : insecure);
  return {
    get: async (ctx, url, getOptions = {}) => {
      const parsed = parseUrl(url);
      if (parsed.protocol === 'file:') return await readLocal(parsed, limitOf(getOptions));
      const verify = verifies(parsed);
      return await retry(ctx, { ...policy, operation: `fetch ${shown(parsed)}` }, () =>
        getOnce(ctx, transport, parsed, { ...getOptions, verify }),
      );
    },
    download: async (ctx, url, download) => {
      const parsed = parseUrl(url);
      return await downloadOnce(ctx, transport, parsed, verifies(parsed), download);
    },
    close: () => transport.close(),
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && ['https:', 'http:', 'file:'].includes(url.protocol)) return url;
  throw new AtollError('INPUT_INVALID', `Cannot fetch "${redact(text)}": it is not a URL`, {
    hint: 'Write it with https:// or file://',
  });
}

async function readLocal(url: URL, limit: number): Promise<Uint8Array | undefined> {
  const path = fileURLToPath(url);
  try {
    const bytes = await readFile(path);
    if (bytes.length > limit) throw tooLong(path, limit);
    return bytes;
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT' || systemCodeOf(cause) === 'ENOTDIR') return undefined;
    if (cause instanceof AtollError) throw cause;
    throw unreadable(path, cause);
  }
}

async function getOnce(
  ctx: Context,
  transport: Transport,
  start: URL,
  options: GetOptions & { readonly verify: boolean },
): Promise<Uint8Array | undefined> {
  const headers = { accept: options.accept ?? '*/*', ...authorizationOf(options.login) };
  const response = await follow(ctx, transport, start, headers, options.verify);
  return await bodyOf(response, response.url, limitOf(options));
}

function authorizationOf(login: GetOptions['login']): Readonly<Record<string, string>> {
  if (!login) return {};
  const pair = Buffer.from(`${login.username}:${login.password}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}

async function follow(
  ctx: Context,
  transport: Transport,
  start: URL,
  headers: Readonly<Record<string, string>>,
  verify: boolean,
): Promise<Response> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const { authorization, ...open } = headers;
    const isHome = url.host === start.host && url.protocol === start.protocol;
    const sent = {
      'user-agent': 'atoll',
      ...open,
      ...(authorization !== undefined && isHome ? { authorization } : {}),
    };
    const request = { method: 'GET', url, headers: sent, registry: url.host, verify };
    const response = await transport.send(ctx, request);
    const next = redirectOf(response, url);
    if (!next) return response;
    await response.discard();
    url = next;
  }
  throw new AtollError('REGISTRY_REFUSED', `Cannot fetch ${shown(start)}: it redirects for ever`);
}

const RANGE_UNSATISFIABLE = 416;

/** A server that cannot go on where a download was cut starts at the beginning. */
async function downloadOnce(
  ctx: Context,
  transport: Transport,
  start: URL,
  verify: boolean,
  { offset, begin, sink }: Download,
): Promise<boolean> {
  const headers = offset > 0 ? { range: `bytes=${offset}-` } : {};
  const response = await follow(ctx, transport, start, { accept: '*/*', ...headers }, verify);
  if (response.status === RANGE_UNSATISFIABLE && offset > 0) {
    await response.discard();
    return await downloadOnce(ctx, transport, start, verify, { offset: 0, begin, sink });
  }
  if (!response.ok) return (await bodyOf(response, response.url, 0)) !== undefined;
  const continues = response.headers['content-range']?.startsWith(`bytes ${offset}-`) ?? false;
  begin(response.status === 206 && continues ? offset : 0);
  await response.pump(sink);
  return true;
}

function redirectOf({ status, headers }: Response, from: URL): URL | undefined {
  const { location } = headers;
  if (status < 301 || status > 308 || status === 304 || !location) return undefined;
  const next = new URL(location, from);
  // What was asked for over TLS is not fetched in the clear.
  const worse = from.protocol === 'https:' && next.protocol !== 'https:';
  if (!worse && /^https?:$/.test(next.protocol)) return next;
  throw new AtollError('REGISTRY_REFUSED', `Cannot follow ${shown(from)} to ${shown(next)}`);
}

async function bodyOf(
  response: Response,
  url: URL,
  limit: number,
): Promise<Uint8Array | undefined> {
  if (response.ok) {
    const bytes = await response.bytes(limit);
    if (!bytes) throw tooLong(shown(url), limit);
    return bytes;
  }
  await response.discard();
  if (response.status === 404 || response.status === 410) return undefined;
  throw new AtollError(
    codeOf(response.status),
    `Cannot fetch ${shown(url)}: ${response.status} ${response.reason}`.trimEnd(),
    { details: { host: url.host, status: response.status } },
  );
}

function codeOf(status: number): ErrorCode {
  if (status === 429) return 'REGISTRY_THROTTLED';
  if (status >= 500 || status === 408) return 'REGISTRY_UNAVAILABLE';
  return status === 401 || status === 403 ? 'REGISTRY_DENIED' : 'REGISTRY_REFUSED';
}

function tooLong(name: string, limit: number): AtollError {
  return new AtollError(
    'INPUT_INVALID',
    `Cannot use ${name}: it is longer than ${formatBytes(limit)}`,
  );
}

const limitOf = ({ maxBytes }: GetOptions): number => maxBytes ?? DEFAULT_MAX_BYTES;

/** Without query and credentials: what may stand in a message. */
function shown(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
