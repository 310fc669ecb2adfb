import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Context } from '../../core/context.ts';
import { listenOn } from '../../registry/serving/listen-on.ts';
import type { Composer } from '../compose/composer.ts';
import type { PageWatch } from '../page-watch.ts';
import { type AskedBy, createAccess, isFromPage, isLocalHost, type PageAccess } from './access.ts';
import { answerCompose, isComposeWork } from './compose-routes.ts';
import { type BuiltPage, builtPage, pageWith, servedPolicy } from './page.ts';
import { streamChanges } from './stream.ts';

const LOOPBACK = '127.0.0.1';
const LAST_WORDS_MS = 500;

export interface DashboardOptions {
  /** What is looked at; without one the page is the composer's. */
  readonly watch?: PageWatch | undefined;
  readonly composer?: Composer | undefined;
  /** 0 for any that is free. */
  readonly port: number;
  /** What cookies are signed with. */
  readonly key: Buffer;
  readonly page?: BuiltPage | undefined;
}

export interface Dashboard {
  /** The link that works once. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Serves the page of a site to this machine alone. */
export async function serveDashboard(ctx: Context, options: DashboardOptions): Promise<Dashboard> {
  const page = options.page ?? builtPage();
  const access = createAccess(options.key, ctx.now);
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    answer({ ...options, ctx, page, access, streams }, request, response).catch(() => {
      if (!response.headersSent) say(response, 500, 'Something went wrong');
      else response.destroy();
    });
  });
  await listenOn(server, { host: LOOPBACK, port: options.port });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${LOOPBACK}:${port}/open/${access.newToken()}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Event streams are flushed before they end; a client that does not read is cut off.
        for (const stream of streams) stream.end();
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), LAST_WORDS_MS).unref();
      }),
  };
}

interface Serving {
  readonly ctx: Context;
  readonly watch?: PageWatch | undefined;
  readonly composer?: Composer | undefined;
  readonly page: BuiltPage;
  readonly access: PageAccess;
  /** Open for as long as somebody looks. */
  readonly streams: Set<ServerResponse>;
}

async function answer(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const by = request.headers as AskedBy;
  if (!isLocalHost(by.host)) return say(response, 421, 'This name is not served here');
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'POST') return compose(serving, pathname, request, response);
  if (request.method !== 'GET') return say(response, 405, 'This is only to be looked at');
  const [, token] = /^\/open\/([\w-]+)$/.exec(pathname) ?? [];
  if (token !== undefined) return open(serving.access, token, by, response);
  if (!serving.access.isKnown(by)) return say(response, 401, CLOSED);
  if (pathname === '/') return sendPage(serving, request, response);
  if (pathname === '/events' && serving.watch) {
    const after = request.headers['last-event-id'] ?? searchParams.get('after') ?? '';
    serving.streams.add(response);
    response.on('close', () => serving.streams.delete(response));
    return streamChanges(serving.watch, response, String(after));
  }
  const [, run] = /^\/runs\/(\w+)$/.exec(pathname) ?? [];
  const found = run === undefined ? undefined : await serving.watch?.pastRun(run);
  if (!found) return say(response, 404, 'There is nothing here');
  send(request, response, 'application/json', JSON.stringify(found));
}

/** The composer asks by POST, so that no other page can make a browser ask for it. */
async function compose(
  { ctx, access, composer }: Serving,
  pathname: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const by = request.headers as AskedBy;
  const name = pathname.replace(/^\/compose\//, '');
  if (!composer || !isComposeWork(name)) return say(response, 405, 'This is only to be looked at');
  if (!access.isKnown(by)) return say(response, 401, CLOSED);
  if (!isFromPage(by)) return say(response, 403, 'Only the page itself may ask for this');
  const { status, body } = await answerCompose(ctx, composer, name, request);
  response.statusCode = status;
  send(request, response, 'application/json', JSON.stringify(body ?? null));
}

const CLOSED = 'Open the link that the terminal shows. It works once; "atoll ui" shows a new one';

/** A link that was opened already still leads whoever opened it to the page. */
function open(access: PageAccess, token: string, by: AskedBy, response: ServerResponse): void {
  const cookie = access.redeem(token);
  if (cookie !== undefined) response.setHeader('set-cookie', cookie);
  if (cookie !== undefined || access.isKnown(by)) response.writeHead(303, { location: '/' }).end();
  else say(response, 401, CLOSED);
}

function sendPage(serving: Serving, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-security-policy', servedPolicy(serving.page));
  const { watch, composer } = serving;
  const data = watch ? { ...watch.page, live: true } : { composer: { file: composer?.file } };
  const html = pageWith(serving.page, data);
  send(request, response, 'text/html', html);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  text: string,
): void {
  response.setHeader('content-type', `${type}; charset=utf-8`);
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) {
    response.end(text);
    return;
  }
  response.setHeader('content-encoding', 'gzip');
  response.end(gzipSync(text, { level: 3 }));
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
