import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { type RetryPolicy, retry } from '../../core/retry.ts';
import { HTTP_TUNING } from '../../http/options.ts';
import { createServerRoutes } from '../../http/server-routes.ts';
import { Transport } from '../../http/transport.ts';

/** How a server of a platform is reached; what its failures name as the place to mend them. */
export interface PlatformHttpOptions {
  /** Host name, with a port where it is not 443. */
  readonly server: string;
  /** The setting that names it. */
  readonly setting: string;
  /** File of CAs that are trusted besides those of the system. */
  readonly ca?: string | undefined;
  /** Where its CA is found. */
  readonly caHint: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
}

interface PlatformRequest {
  /** What it is for, in words that follow "Cannot". */
  readonly doing: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface PlatformAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** One server over HTTPS. What may pass is tried again; `read` turns an answer into a result or a failure. */
export interface PlatformHttp {
  send<T>(ctx: Context, request: PlatformRequest, read: (answer: PlatformAnswer) => T): Promise<T>;
  close(): void;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export function platformHttp(options: PlatformHttpOptions): PlatformHttp {
  const { ca, env = process.env } = options;
  const routes = createServerRoutes({ env, ...(ca === undefined ? {} : { ca: [ca] }) });
  const transport = new Transport(routes, HTTP_TUNING);
  return {
    send: (ctx, request, read) =>
      retry(ctx, { ...options.retry, operation: request.doing }, async () => {
        try {
          return read(await sendOnce(ctx, transport, options.server, request));
        } catch (error) {
          throw explained(error, options, request.doing);
        }
      }),
    close: () => transport.close(),
  };
}

async function sendOnce(
  ctx: Context,
  transport: Transport,
  server: string,
  { method, path, headers, body }: PlatformRequest,
): Promise<PlatformAnswer> {
  const url = new URL(`https://${server}${path}`);
  const request = { method, url, headers, registry: url.host, verify: true };
  const response = await transport.send(
    ctx,
    request,
    body === undefined ? undefined : Buffer.from(body),
  );
  const bytes = await response.bytes(MAX_ANSWER_BYTES);
  const text = bytes?.toString('utf8') ?? '';
  return { status: response.status, headers: response.headers, text };
}

/** The words of the transport are those of registries; trust and ways are mended elsewhere here. */
function explained(
  error: unknown,
  { server, setting, caHint }: PlatformHttpOptions,
  doing: string,
): unknown {
  if (!(error instanceof AtollError)) return error;
  const { code, details } = error;
  if (code === 'REGISTRY_UNAVAILABLE')
    return new AtollError('CLOUD_UNAVAILABLE', `Cannot ${doing}: ${error.message}`, {
      hint: `Check ${setting}, and that this machine reaches ${server}, through a proxy if need be (HTTPS_PROXY)`,
      details,
      cause: error,
    });
  if (!code.startsWith('TLS_')) return error;
  const hint = `Name the file of its CA: platform.ca (${caHint})`;
  return new AtollError(code, `Cannot ${doing}: ${error.message}`, { hint, details, cause: error });
}
