import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { messageOf, systemCodeOf } from '../../core/errors.ts';
import { claimedToken, claimedUser, unauthorized } from '../auth/basic.ts';
import { isAllowed, type Role } from '../auth/grants.ts';
import type { Identity } from '../auth/identity.ts';
import { DamagedBlob } from '../storage/blob-files.ts';
import { withChallenge } from './challenge.ts';
import { handlerFor, roleFor } from './dispatch.ts';
import type { Exchange } from './exchange.ts';
import { HEADERS_TIMEOUT_MS, KEEP_ALIVE_MS, type ListenerOptions } from './listener-options.ts';
import { ClientGone } from './receive-body.ts';
import { recordRequest } from './record-request.ts';
import { FILES_PREFIX, parseRoute, type Route } from './routes.ts';
import { answerToken, TOKEN_PATH } from './token-endpoint.ts';
import { sendError, WireError, wireErrorOf } from './wire-error.ts';

const NO_QUERY = new URLSearchParams();
const TLS_SETTINGS = { minVersion: 'TLSv1.2' } as const;
/** What the kernel hands over in one piece: fewer, larger chunks for uploads. */
const READ_BYTES = 256 * 1024;

export function createListener(options: ListenerOptions): Server {
  const settings = {
    maxHeaderSize: options.service.limits.headerBytes,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Whole uploads may take hours; standing still is what is bounded.
    requestTimeout: 0,
    noDelay: true,
    highWaterMark: READ_BYTES,
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const answer = () => void serve(options, request, response);
    // Sent ahead: it has no connection before its turn comes, and costs nothing if that never does.
    if (response.socket) answer();
    else response.once('socket', answer);
  };
  const handshakeTimeout = options.service.limits.handshakeMs;
  const server = options.tls
    ? createTlsServer({ ...settings, ...options.tls, ...TLS_SETTINGS, handshakeTimeout }, onRequest)
    : createServer(settings, onRequest);
  server.on('clientError', (error, socket) => refuse(options, error, socket as Socket));
  // Nobody is there to be told: what is written waits for a handshake that never comes.
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  return server;
}

const REFUSALS: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** What is not HTTP at all gets the shortest answer there is, and its line in the log. */
function refuse(options: ListenerOptions, error: Error, socket: Socket): void {
  const code = systemCodeOf(error) ?? '';
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, reason] = REFUSALS[code] ?? [400, 'Bad Request'];
  const answer = `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
  socket.end(answer);
  options.service.metrics.requestDone('refused', '', status, 0);
  options.onAccess?.({
    at: options.service.ctx.now().toISOString(),
    listener: options.name,
    client: socket.remoteAddress ?? '',
    ...requestLineOf(error),
    status,
    route: 'refused',
    complete: true,
    bytesReceived: socket.bytesRead,
    bytesSent: answer.length,
    durationMs: 0,
  });
}

/** As far as it can be made out; a query may hold secrets. */
function requestLineOf(error: Error): { readonly method: string; readonly path: string } {
  const { rawPacket } = error as { rawPacket?: Buffer };
  const line = rawPacket?.subarray(0, 1024).toString('latin1') ?? '';
  const [, method = '', path = ''] = /^([A-Z]{1,20}) ([!-~]{1,900})/.exec(line) ?? [];
  return { method, path: path.replace(/\?.*/, '') };
}

async function serve(
  options: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { service } = options;
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? NO_QUERY : new URLSearchParams(url.slice(mark + 1));
  const identity: { current?: Identity } = {};
  const allows = (role: Role, repository: string) => {
    const { grants = [], owner } = identity.current ?? {};
    if (isAllowed(grants, role, repository)) return true;
    // A token for the list of repositories shows those of its owner.
    const lists = exchange.entry.route === 'catalog' && role === 'pull' && repository !== '';
    return lists && isAllowed(owner ?? [], role, repository);
  };
  const exchange: Exchange = { service, request, response, query, entry: {}, allows };
  recordWhenDone(options, exchange, path);
  // A broken connection is noticed where it is written to.
  response.on('error', ignore);

  try {
    if (path === TOKEN_PATH) return await answerToken(exchange, options.authenticator);
    if (!path.startsWith('/v2') && !path.startsWith(FILES_PREFIX))
      return await answerPage(options, exchange, path);
    identity.current = await identify(options, exchange);
    await answer(exchange, routeOf(path), identity.current);
  } catch (error) {
    fail(options, exchange, error);
  }
}

const ignore = () => undefined;

function routeOf(path: string): Route {
  const route = parseRoute(path);
  if (route === 'bad-name') throw new WireError('NAME_INVALID', 'This is no name of a repository');
  if (route === 'not-found') {
    throw new WireError('NAME_UNKNOWN', 'The distribution API has no such path');
  }
  return route;
}

async function answer(exchange: Exchange, route: Route, identity: Identity): Promise<void> {
  const { user, owner } = identity;
  exchange.entry.route = route.kind;
  const repository = 'repository' in route ? route.repository : undefined;
  exchange.entry.repository = repository;
  const role = roleFor(route, exchange.request.method ?? '');
  if (route.kind === 'catalog' && owner && !exchange.allows('pull', ''))
    throw unauthorized('The token is not for this');
  if (!exchange.allows(role, repository ?? '') && !mayProbe(route, user)) {
    if (user === undefined) throw unauthorized('Log in to do this');
    // The token was made for something else; its owner can have one for this.
    if (owner && isAllowed(owner, role, repository ?? ''))
      throw unauthorized('The token is not for this');
    throw new WireError('DENIED', `The user may not ${role} here`);
  }
  // Challenges anonymous clients, so that those with a login send it; pulls are still answered without one.
  if (route.kind === 'base' && user === undefined && !exchange.allows('push', '')) {
    throw unauthorized('Log in for more than pulling');
  }
  await handlerFor(exchange, route)(exchange, route);
}

/** Whoever has logged in may see the front door, and a list that holds only what is theirs. */
function mayProbe(route: Route, user: string | undefined): boolean {
  return user !== undefined && (route.kind === 'base' || route.kind === 'catalog');
}

/** Notes the user for the access log, or the name of a login that was refused. */
async function identify(options: ListenerOptions, { request, entry }: Exchange): Promise<Identity> {
  try {
    const identity = await options.authenticator.identify(request);
    entry.user = identity.user;
    entry.token = identity.token;
    return identity;
  } catch (error) {
    entry.claimedUser = claimedUser(request.headers.authorization);
    entry.token = claimedToken(request.headers.authorization);
    throw error;
  }
}

async function answerPage(
  options: ListenerOptions,
  exchange: Exchange,
  path: string,
): Promise<void> {
  const { request, response, entry } = exchange;
  const readable = request.method === 'GET' || request.method === 'HEAD';
  if (options.metricsLogin && path === '/metrics') {
    const { user } = await identify(options, exchange);
    if (user === undefined) throw unauthorized('Log in to see the metrics');
  }
  const page = readable ? await options.page(path) : undefined;
  if (!page) throw new WireError('NAME_UNKNOWN', 'There is nothing here; try /v2/');
  entry.route = path.slice(1);
  response.writeHead(page.status, {
    'content-type': page.type,
    'content-length': Buffer.byteLength(page.body),
  });
  response.end(request.method === 'HEAD' ? undefined : page.body);
}

/** Tells the client what it can use, and the operator what the client cannot. */
function fail(options: ListenerOptions, exchange: Exchange, error: unknown): void {
  const { service, request, response, entry } = exchange;
  const found = wireErrorOf(error);
  const known = found && withChallenge(found, request, options.challenge);
  entry.refusal = refusalOf(known);
  entry.error = known?.code ?? 'UNKNOWN';
  const cause = found ? found.cause : causeOf(error, response);
  if (cause !== undefined) {
    const message = `A request failed: ${messageOf(cause)}`;
    service.ctx.emit({ type: 'warning.raised', message, subject: 'registry' });
  }
  sendError(response, known ?? new WireError('UNKNOWN', 'The registry failed; its log says why'));
}

function refusalOf(error: WireError | undefined): string | undefined {
  const detail = error?.detail as { readonly refusal?: string } | undefined;
  return detail?.refusal;
}

/** A client that left, and a blob that was told of already, are no news. */
function causeOf(error: unknown, response: ServerResponse): unknown {
  const isOld = error instanceof ClientGone || error instanceof DamagedBlob || response.destroyed;
  return isOld ? undefined : error;
}

function recordWhenDone(options: ListenerOptions, exchange: Exchange, path: string): void {
  const { request, response, entry } = exchange;
  const { socket } = request;
  const startedAt = performance.now();
  const { bytesRead, bytesWritten } = socket;
  const client = socket.remoteAddress ?? '';
  response.once('close', () =>
    recordRequest(options, {
      startedAt,
      client,
      method: request.method ?? '',
      path,
      status: response.statusCode,
      complete: response.writableFinished,
      bytesReceived: socket.bytesRead - bytesRead,
      bytesSent: socket.bytesWritten - bytesWritten,
      agent: request.headers['user-agent'],
      entry,
    }),
  );
}
