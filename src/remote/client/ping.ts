import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Response } from '../../http/response.ts';
import type { Transport } from '../../http/transport.ts';
import { follow } from './redirect.ts';
import { refusal } from './refusal.ts';

interface PingOptions {
  readonly registry: string;
  readonly transport: Transport;
  readonly isInsecure: (host: string) => boolean;
  /** Take only the answers that a container runtime takes. */
  readonly asNode?: boolean | undefined;
}

interface Found {
  readonly base: URL;
  readonly response: Response;
}

const DOCKER_HUB = 'docker.io';
const DOCKER_HUB_HOST = 'registry-1.docker.io';
const HEAD_START_MS = 1000;
const VERSION_HEADER = 'docker-distribution-api-version';

/** Finds the registry behind a host: `GET /v2/` over TLS, over plain HTTP only where that is allowed. */
export async function findRegistry(ctx: Context, options: PingOptions): Promise<Found> {
  const host = options.registry === DOCKER_HUB ? DOCKER_HUB_HOST : options.registry;
  if (!URL.canParse(`https://${host}`)) throw noHost(host);
  const secured = () => ping(ctx, options, new URL(`https://${host}`));
  if (!options.isInsecure(host)) return await secured();
  const plain = ping(ctx, options, new URL(`http://${host}`));
  plain.catch(() => undefined);
  // One port speaks either HTTP or TLS, and where `insecure` is allowed it is mostly HTTP.
  const isOnePort = new URL(`http://${host}`).port !== '';
  const found = isOnePort ? await soon(plain) : undefined;
  if (found?.response.url.protocol === 'http:') return found;
  try {
    const better = await secured();
    plain.then(({ response }) => response.discard()).catch(() => undefined);
    return better;
  } catch (error) {
    if (ctx.signal.aborted || !maybePlain(error)) throw error;
    return await preferred(ctx, plain, error);
  }
}

/** The plain answer if it comes soon: a TLS server may leave a plain request unanswered. */
async function soon(plain: Promise<Found>): Promise<Found | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, HEAD_START_MS, undefined);
  });
  const found = await Promise.race([plain.catch(() => undefined), late]);
  clearTimeout(timer);
  return found;
}

function maybePlain(error: unknown): boolean {
  const code = error instanceof AtollError ? error.code : undefined;
  return code === 'TLS_NOT_SPOKEN' || code === 'REGISTRY_UNAVAILABLE';
}

async function preferred(ctx: Context, plain: Promise<Found>, first: unknown): Promise<Found> {
  try {
    return await plain;
  } catch (error) {
    // When both fail, the one that got further says more.
    const isPlain = first instanceof AtollError && first.code === 'TLS_NOT_SPOKEN';
    throw isPlain || ctx.signal.aborted ? error : first;
  }
}

async function ping(ctx: Context, options: PingOptions, base: URL): Promise<Found> {
  const response = await follow(ctx, options, { url: new URL('/v2/', base), headers: {} });
  return { base, response: await checked(response, options) };
}

async function checked(response: Response, options: PingOptions): Promise<Response> {
  const { status, headers } = response;
  const isHtml = (headers['content-type'] ?? '').startsWith('text/html');
  const isRegistry = headers[VERSION_HEADER] !== undefined;
  const isStrict = options.asNode === true && status < 500 && status !== 429;
  if (isStrict && status !== 200 && status !== 401) throw await stranger(response, options, isHtml);
  if (isRegistry && status < 500 && status !== 429) return response;
  if (status === 401 && headers['www-authenticate'] !== undefined) return response;
  if ((response.ok || status === 403) && !isHtml) return response;
  if (status === 429 || status >= 500) {
    throw await refusal(response, { action: 'open', registry: options.registry });
  }
  throw await stranger(response, options, isHtml);
}

async function stranger(
  response: Response,
  { registry }: PingOptions,
  isHtml: boolean,
): Promise<AtollError> {
  await response.discard();
  return notARegistry(registry, response, isHtml);
}

/** A reference may hold what no URL can: `10.0.0.256`. */
function noHost(registry: string): AtollError {
  return new AtollError(
    'REFERENCE_INVALID',
    `Cannot use ${registry} as a registry: it is neither a name nor an address`,
    { hint: `Check the spelling of ${registry}`, details: { registry } },
  );
}

function notARegistry(registry: string, response: Response, isHtml: boolean): AtollError {
  const { status, reason, url } = response;
  const found = `${status} ${reason}`.trim() + (isHtml ? ' and a web page' : '');
  return new AtollError(
    'NOT_A_REGISTRY',
    `Cannot use ${registry} as a registry: ${url.origin}/v2/ answered ${found}`,
    {
      hint: 'Check host and port: the registry may listen on another one, or below a path of a proxy',
      details: { registry, status },
    },
  );
}
