import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { type RetryPolicy, retry } from '../../../core/retry.ts';
import { HTTP_TUNING } from '../../../http/options.ts';
import { createServerRoutes } from '../../../http/server-routes.ts';
import { Transport } from '../../../http/transport.ts';
import { readXml, under, type Xml } from '../../shared/xml.ts';
import { faultIn, faultOf, vsphereFault } from './fault.ts';
import { envelope, type Markup, type Ref, tag } from './markup.ts';
import { textIn } from './read.ts';

/** A vCenter, as its Web Services API shows it. The session begins with the first call. */
export interface Vcenter {
  readonly server: string;
  /** What it says of itself. */
  about(ctx: Context): Promise<VcenterFacts>;
  /** The key of the session, once logged in. */
  session(ctx: Context): Promise<string>;
  /** Calls a method of an object; the answer is what it returned. `doing` is for its failures. */
  call(
    ctx: Context,
    doing: string,
    method: string,
    target: Ref,
    fields?: readonly Markup[],
  ): Promise<Xml | undefined>;
  close(): Promise<void>;
}

interface VcenterFacts {
  readonly fullName: string;
  readonly apiVersion: string;
}

export interface VcenterOptions {
  /** Host name, with a port where it is not 443. */
  readonly server: string;
  readonly login: () => Promise<{ readonly username: string; readonly password: string }>;
  /** File of CAs that are trusted besides those of the system. */
  readonly ca?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** The oldest API that releases of today install on. */
const ACTION = '"urn:vim25/7.0"';
/** The same in every vCenter. */
const INSTANCE: Ref = { type: 'ServiceInstance', value: 'ServiceInstance' };
const SESSIONS: Ref = { type: 'SessionManager', value: 'SessionManager' };

export function connectVcenter(options: VcenterOptions): Vcenter {
  const { server, ca, env = process.env } = options;
  const url = new URL(`https://${server}/sdk`);
  const routes = createServerRoutes({ env, ...(ca === undefined ? {} : { ca: [ca] }) });
  const transport = new Transport(routes, HTTP_TUNING);
  let cookie: string | undefined;
  let session: Promise<string> | undefined;

  const send = async (ctx: Context, doing: string, body: string): Promise<Xml | undefined> => {
    const headers = {
      'content-type': 'text/xml; charset=utf-8',
      soapaction: ACTION,
      ...(cookie === undefined ? {} : { cookie }),
    };
    const request = { method: 'POST' as const, url, headers, registry: url.host, verify: true };
    const response = await transport.send(ctx, request, Buffer.from(body));
    const bytes = await response.bytes(MAX_ANSWER_BYTES);
    cookie = /vmware_soap_session=[^;]+/.exec(response.headers['set-cookie'] ?? '')?.[0] ?? cookie;
    return answerOf(doing, server, response.status, bytes?.toString('utf8') ?? '');
  };
  const sendAgain = (ctx: Context, doing: string, body: string) =>
    retry(ctx, { ...options.retry, operation: doing }, () =>
      send(ctx, doing, body).catch((error: unknown) => {
        throw explained(error, server, doing);
      }),
    );
  const logIn = async (ctx: Context): Promise<string> => {
    const { username, password } = await options.login();
    const fields = [tag('userName', username), tag('password', password)];
    const body = envelope('Login', SESSIONS, fields);
    return textIn(await sendAgain(ctx, `log in to ${server} as ${username}`, body), 'key');
  };
  const loggedIn = (ctx: Context) => {
    session ??= logIn(ctx).catch((error: unknown) => {
      session = undefined;
      throw error;
    });
    return session;
  };
  return {
    server,
    async about(ctx) {
      const body = envelope('RetrieveServiceContent', INSTANCE, []);
      const about = under(await sendAgain(ctx, `reach ${server}`, body), 'about');
      return { fullName: textIn(about, 'fullName'), apiVersion: textIn(about, 'apiVersion') };
    },
    session: loggedIn,
    async call(ctx, doing, method, target, fields = []) {
      const body = envelope(method, target, fields);
      await loggedIn(ctx);
      try {
        return await sendAgain(ctx, doing, body);
      } catch (error) {
        // Sessions end by themselves after half an hour without a call.
        if (faultOf(error) !== 'NotAuthenticated') throw error;
        session = undefined;
        await loggedIn(ctx);
        return await sendAgain(ctx, doing, body);
      }
    },
    async close() {
      transport.close();
    },
  };
}

/** What a method returned; the fault it ended with is thrown. */
function answerOf(doing: string, server: string, status: number, text: string): Xml | undefined {
  const root = readXml(text);
  const body = under(root, 'soapenv:Body') ?? under(root, 'Body');
  const failed = faultIn(body);
  if (failed) throw vsphereFault(doing, failed.fault, failed.words);
  if (status === 200 && typeof body === 'object') {
    const [name = ''] = Object.keys(body);
    return under(body, name, 'returnval') ?? '';
  }
  const code = status >= 500 || status === 408 ? 'CLOUD_UNAVAILABLE' : 'CLOUD_REFUSED';
  throw new AtollError(code, `Cannot ${doing}: ${server} answered with HTTP status ${status}`, {
    hint: `Check that ${server} is a vCenter, and that its services run`,
    details: { status },
  });
}

/** The words of the transport are those of registries; trust and ways are mended elsewhere here. */
function explained(error: unknown, server: string, doing: string): unknown {
  if (!(error instanceof AtollError)) return error;
  const { code, details } = error;
  if (code === 'REGISTRY_UNAVAILABLE')
    return new AtollError('CLOUD_UNAVAILABLE', `Cannot ${doing}: ${error.message}`, {
      hint: `Check platform.server, and that this machine reaches ${server}, through a proxy if need be (HTTPS_PROXY)`,
      details,
      cause: error,
    });
  if (!code.startsWith('TLS_')) return error;
  return new AtollError(code, `Cannot ${doing}: ${error.message}`, {
    hint: `Name the file of the vCenter's CA: platform.ca (it is in https://${server}/certs/download.zip)`,
    details,
    cause: error,
  });
}
