import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { type PlatformHttpOptions, platformHttp } from '../../shared/platform-http.ts';
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
  close(): void;
}

interface VcenterFacts {
  readonly fullName: string;
  readonly apiVersion: string;
}

export interface VcenterOptions
  extends Pick<PlatformHttpOptions, 'server' | 'ca' | 'env' | 'retry'> {
  readonly login: () => Promise<{ readonly username: string; readonly password: string }>;
}

/** The oldest API that releases of today install on. */
const ACTION = '"urn:vim25/7.0"';
/** The same in every vCenter. */
const INSTANCE: Ref = { type: 'ServiceInstance', value: 'ServiceInstance' };
const SESSIONS: Ref = { type: 'SessionManager', value: 'SessionManager' };

export function connectVcenter(options: VcenterOptions): Vcenter {
  const { server } = options;
  const caHint = `it is in https://${server}/certs/download.zip`;
  const http = platformHttp({ ...options, setting: 'platform.server', caHint });
  let cookie: string | undefined;
  let session: Promise<string> | undefined;

  const send = (ctx: Context, doing: string, body: string): Promise<Xml | undefined> => {
    const headers = {
      'content-type': 'text/xml; charset=utf-8',
      soapaction: ACTION,
      ...(cookie === undefined ? {} : { cookie }),
    };
    const request = { doing, method: 'POST' as const, path: '/sdk', headers, body };
    return http.send(ctx, request, (answer) => {
      const set = answer.headers['set-cookie'] ?? '';
      cookie = /vmware_soap_session=[^;]+/.exec(set)?.[0] ?? cookie;
      return answerOf(doing, server, answer.status, answer.text);
    });
  };
  const logIn = async (ctx: Context): Promise<string> => {
    const { username, password } = await options.login();
    cookie = undefined;
    const fields = [tag('userName', username), tag('password', password)];
    const body = envelope('Login', SESSIONS, fields);
    return textIn(await send(ctx, `log in to ${server} as ${username}`, body), 'key');
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
      const about = under(await send(ctx, `reach ${server}`, body), 'about');
      return { fullName: textIn(about, 'fullName'), apiVersion: textIn(about, 'apiVersion') };
    },
    session: loggedIn,
    async call(ctx, doing, method, target, fields = []) {
      const body = envelope(method, target, fields);
      await loggedIn(ctx);
      try {
        return await send(ctx, doing, body);
      } catch (error) {
        // Sessions end by themselves after half an hour without a call.
        if (faultOf(error) !== 'NotAuthenticated') throw error;
        session = undefined;
        await loggedIn(ctx);
        return await send(ctx, doing, body);
      }
    },
    close: http.close,
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
