import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isAllowed } from '../auth/grants.ts';
import type { Identity } from '../auth/identity.ts';
import { JOINED_BYTES, manifestFields } from '../handlers/manifests.ts';
import { findManifest, recallManifest, type StoredManifest } from '../storage/manifest-content.ts';
import { type Connections, speaksOn } from './connections.ts';
import { openLine } from './line.ts';
import { KEEP_ALIVE_MS, type ListenerOptions } from './listener-options.ts';
import { recordRequest } from './record-request.ts';
import { parseRoute, type RouteOf } from './routes.ts';
import { createSimpleReader, type SimpleRequest } from './simple-request.ts';

/** A request for a manifest, of a client that may pull it. */
interface Pull {
  readonly request: SimpleRequest;
  readonly route: RouteOf<'manifest'>;
  readonly identity: Identity;
  readonly startedAt: number;
  readonly bytesReceived: number;
}

/**
 * Answers pulls of manifests straight on the connection when they are in memory: what Node's HTTP
 * server does for a request costs more than the answer. Everything else goes to that server as it
 * came: errors, passwords to be checked, conditions, what is large or unusual. A connection on which
 * it could be unclear where a request ends is the server's from then on.
 */
export function answerQuickly(
  server: Server,
  options: ListenerOptions,
  connections: Connections,
): void {
  const { service } = options;
  const event = speaksOn(server);
  const [serveHttp] = server.listeners(event) as ((socket: Socket) => void)[];
  // Records of other stores, and what a cache may serve, cannot be told from memory alone.
  if (!serveHttp || !service.files || service.upstream) return;
  const readSimple = createSimpleReader(service.limits.headerBytes);
  const pullOf = createPullReader(options);

  /** False for what is not in memory, or not to be answered here. */
  function answer(socket: Socket, pull: Pull): boolean {
    const { repository, reference } = pull.route;
    const found = recallManifest(service, repository, reference);
    const text = found && answerText(found, pull.request.method);
    if (!found || text === undefined) return false;
    const client = socket.remoteAddress ?? '';
    const { digest } = found;
    send(socket, text, connections, (error) =>
      recordPull(options, pull, { client, digest, bytesSent: text.length, error }),
    );
    return true;
  }

  /** What cannot be read is told by the server, which then gets the request. */
  async function load(socket: Socket, { route }: Pull): Promise<void> {
    socket.pause();
    connections.count(socket, 1);
    await findManifest(service, route.repository, route.reference).catch(() => undefined);
    connections.count(socket, -1);
    socket.resume();
  }

  server.off(event, serveHttp);
  server.on(event, (socket: Socket) => {
    const line = openLine(socket, onData, () => serveHttp.call(server, socket));
    function onData(bytes: Buffer): void {
      const isNext = socket.writable && connections.isIdle(socket);
      const startedAt = performance.now();
      const request = isNext ? readSimple(bytes) : undefined;
      const pull = request && pullOf(request, startedAt, bytes.length);
      if (!request) line.leave(bytes);
      else if (!pull) line.pass(bytes);
      else if (!answer(socket, pull))
        void load(socket, pull).then(() => answer(socket, pull) || line.pass(bytes));
    }
  });
}

type OnSent = (error: Error | null | undefined) => void;

/** Says when all is out, or will never be. */
function send(socket: Socket, text: string, connections: Connections, onSent: OnSent): void {
  const isPlain = socket.writable && !('encrypted' in socket);
  if (isPlain) {
    socket.write(text, 'latin1');
    // Mostly the kernel takes it at once, and to be called back would cost as much as the log.
    if (socket.writableLength === 0) {
      onSent(socket.errored);
      return;
    }
  }
  connections.count(socket, 1);
  socket.write(isPlain ? '' : text, 'latin1', (error) => {
    connections.count(socket, -1);
    onSent(error);
  });
}

const MAX_ROUTES = 1000;

type PullReader = (
  request: SimpleRequest,
  startedAt: number,
  bytesReceived: number,
) => Pull | undefined;

function createPullReader({ authenticator }: ListenerOptions): PullReader {
  const routes = new Map<string, RouteOf<'manifest'>>();

  function routeOf(path: string): RouteOf<'manifest'> | undefined {
    const known = routes.get(path);
    if (known || path.includes('?')) return known;
    const route = parseRoute(path);
    if (typeof route === 'string' || route.kind !== 'manifest') return undefined;
    if (routes.size >= MAX_ROUTES) routes.clear();
    routes.set(path, route);
    return route;
  }

  /** What is wrong with a token is told by the server. */
  function recognise({ fields }: SimpleRequest): Identity | undefined {
    try {
      return authenticator.recognise(fields.authorization);
    } catch {
      return undefined;
    }
  }

  return (request, startedAt, bytesReceived) => {
    const route = request.fields.isPlain ? routeOf(request.path) : undefined;
    const identity = route && recognise(request);
    if (!identity || !isAllowed(identity.grants, 'pull', route.repository)) return undefined;
    return { request, route, identity, startedAt, bytesReceived };
  };
}

const FIELD_VALUE = /^[ -~]*$/;

/** Latin 1, so that head and body leave in one write. */
function answerText(found: StoredManifest, method: string): string | undefined {
  const { bytes, mediaType } = found;
  if (bytes.length > JOINED_BYTES || !FIELD_VALUE.test(mediaType)) return undefined;
  const head = `${headOf(found)}Date: ${dateNow()}\r\n\r\n`;
  return method === 'HEAD' ? head : head + bytes.toString('latin1');
}

const heads = new WeakMap<Buffer, { readonly mediaType: string; readonly text: string }>();
/** Kept with the content, all but the date. */
function headOf(found: StoredManifest): string {
  const { bytes, mediaType } = found;
  const known = heads.get(bytes);
  if (known?.mediaType === mediaType) return known.text;
  const fields = [...manifestFields(found), ...KEEP_ALIVE];
  let text = 'HTTP/1.1 200 OK\r\n';
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`;
  heads.set(bytes, { mediaType, text });
  return text;
}

const KEEP_ALIVE = ['Connection', 'keep-alive', 'Keep-Alive', `timeout=${KEEP_ALIVE_MS / 1000}`];

let date = { second: 0, text: '' };
function dateNow(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== date.second) date = { second, text: new Date(second * 1000).toUTCString() };
  return date.text;
}

interface PullOutcome {
  readonly client: string;
  readonly digest: string | undefined;
  readonly bytesSent: number;
  readonly error: Error | null | undefined;
}

function recordPull(options: ListenerOptions, pull: Pull, outcome: PullOutcome): void {
  const { request, route, identity, startedAt, bytesReceived } = pull;
  const { client, digest, bytesSent, error } = outcome;
  const { kind, repository, reference } = route;
  const { user, token } = identity;
  recordRequest(options, {
    startedAt,
    client,
    method: request.method,
    path: request.path,
    status: 200,
    complete: !error,
    bytesReceived,
    bytesSent,
    agent: request.fields.agent,
    entry: { user, token, route: kind, repository, reference, digest },
  });
}
