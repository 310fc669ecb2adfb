import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { type RetryPolicy, retry } from '../../../core/retry.ts';
import { HTTP_TUNING } from '../../../http/options.ts';
import { createServerRoutes } from '../../../http/server-routes.ts';
import { Transport } from '../../../http/transport.ts';
import { readXml, type Xml } from '../../shared/xml.ts';
import { type KeySource, usualKeys } from './credentials.ts';
import { type AwsAnswer, type AwsCall, awsFailure } from './failure.ts';
import { type FormFields, formBody } from './form.ts';
import {
  endpointOf,
  factsOf,
  type JsonService,
  permissionOf,
  type QueryService,
  type RestService,
} from './services.ts';
import { type SignableRequest, signedHeaders } from './sign.ts';

export interface RestRequest {
  /** What a policy calls it: `PutObject`. */
  readonly action: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** From the root of the service. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

/** The services of AWS in one region. Every call is signed, tried again where that may help, and named when it fails. */
export interface Aws {
  readonly region: string;
  query(ctx: Context, service: QueryService, action: string, fields?: FormFields): Promise<Xml>;
  json(ctx: Context, service: JsonService, action: string, body: object): Promise<unknown>;
  rest(ctx: Context, service: RestService, request: RestRequest): Promise<Xml>;
  close(): void;
}

type Env = Readonly<Record<string, string | undefined>>;

export interface AwsOptions {
  readonly region: string;
  readonly env?: Env | undefined;
  readonly keys?: KeySource | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
}

/** No answer of the calls we make is longer. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const FORM = 'application/x-www-form-urlencoded; charset=utf-8';

export function connectAws(options: AwsOptions): Aws {
  const { region, env = process.env } = options;
  const bundle = env.AWS_CA_BUNDLE;
  const transport = new Transport(
    createServerRoutes({ env, ...(bundle ? { ca: [bundle] } : {}) }),
    HTTP_TUNING,
  );
  const keys = options.keys ?? usualKeys(region);
  const send = (
    ctx: Context,
    call: AwsCall,
    request: Omit<SignableRequest, 'url'> & { at: string },
  ) =>
    retry(ctx, { ...options.retry, operation: permissionOf(call.service, call.action) }, () =>
      sendWithKeys(ctx, { transport, keys, region, env }, call, request),
    );
  return {
    region,
    async query(ctx, service, action, fields = {}) {
      const style = service === 'ec2' ? 'numbered' : 'member';
      const body = formBody(
        { Action: action, Version: factsOf(service).version, ...fields },
        style,
      );
      const headers = { 'content-type': FORM };
      const call = { service, action };
      return readXml(await send(ctx, call, { method: 'POST', at: '/', headers, body }));
    },
    async json(ctx, service, action, fields) {
      const headers = {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `${factsOf(service).version}.${action}`,
      };
      const body = JSON.stringify(fields);
      const text = await send(ctx, { service, action }, { method: 'POST', at: '/', headers, body });
      return text === '' ? {} : (JSON.parse(text) as unknown);
    },
    async rest(ctx, service, { action, method, path, query = {}, headers = {}, body = '' }) {
      const asked = new URLSearchParams(query).toString();
      const at = asked === '' ? path : `${path}?${asked}`;
      return readXml(await send(ctx, { service, action }, { method, at, headers, body }));
    },
    close: () => transport.close(),
  };
}

interface Wire {
  readonly transport: Transport;
  readonly keys: KeySource;
  readonly region: string;
  readonly env: Env;
}

type Request = Omit<SignableRequest, 'url'> & { readonly at: string };

/** Credentials that have expired meanwhile may have been renewed meanwhile, too: they are asked for once more. */
async function sendWithKeys(
  ctx: Context,
  wire: Wire,
  call: AwsCall,
  request: Request,
): Promise<string> {
  try {
    return await sendOnce(ctx, wire, call, request, false);
  } catch (error) {
    const isOld = error instanceof AtollError && error.code === 'CLOUD_CREDENTIALS';
    if (!isOld || error.details.status === undefined) throw error;
    return await sendOnce(ctx, wire, call, request, true);
  }
}

async function sendOnce(
  ctx: Context,
  { transport, keys, region, env }: Wire,
  call: AwsCall,
  { at, ...request }: Request,
  fresh: boolean,
): Promise<string> {
  const { url: base, region: signedFor } = endpointOf(call.service, region, env);
  const url = new URL(`${base.pathname.replace(/\/$/, '')}${at}`, base);
  const { host, signedAs } = factsOf(call.service);
  const headers = await signedHeaders(
    { ...request, url },
    { keys: await keys(fresh), service: signedAs ?? host, region: signedFor, now: ctx.now() },
  );
  const wire = { method: request.method, url, headers, registry: url.host, verify: true };
  const answer = await answerOf(ctx, transport, wire, Buffer.from(request.body), call);
  if (answer.status >= 200 && answer.status < 300) return answer.text;
  throw awsFailure(call, answer);
}

async function answerOf(
  ctx: Context,
  transport: Transport,
  request: Parameters<Transport['send']>[1],
  body: Buffer,
  call: AwsCall,
): Promise<AwsAnswer> {
  try {
    const response = await transport.send(ctx, request, body.length > 0 ? body : undefined);
    const bytes = await response.bytes(MAX_ANSWER_BYTES);
    if (!bytes) throw new Error('The answer is too long');
    return { status: response.status, headers: response.headers, text: bytes.toString('utf8') };
  } catch (error) {
    throw unreachable(error, call, request.url);
  }
}

/** The words of the transport are those of registries; only the code differs. */
function unreachable(error: unknown, call: AwsCall, url: URL): unknown {
  if (!(error instanceof AtollError) || error.code !== 'REGISTRY_UNAVAILABLE') return error;
  return new AtollError(
    'CLOUD_UNAVAILABLE',
    `Cannot do ${permissionOf(call.service, call.action)}: ${error.message}`,
    {
      hint: `Check that this machine reaches ${url.host}, through a proxy if need be (HTTPS_PROXY)`,
      details: error.details,
      cause: error,
    },
  );
}
