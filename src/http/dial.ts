import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { RequestAttempt } from './attempt.ts';
import { Connection } from './connection.ts';
import { plainLanding, tlsLanding } from './landing.ts';
import { bareHostname, portOf, type ServerRoute } from './server-route.ts';
import { openTunnel, ProxyError } from './tunnel.ts';
import type { WatchdogTimes } from './watchdog.ts';

export interface DialTimes extends WatchdogTimes {
  readonly connectTimeoutMs: number;
}

type Onread = Connection['onread'];

/** Opens a connection: TCP, through the proxy where there is one, and TLS where the URL says so. */
export async function dial(
  signal: AbortSignal,
  route: ServerRoute,
  times: DialTimes,
): Promise<Connection> {
  const connection = new Connection(route.tls ? tlsLanding() : plainLanding(), times);
  const attempt = new RequestAttempt(signal, times.connectTimeoutMs);
  try {
    const { socket, direct } = await open(attempt, route, connection.onread);
    connection.attach(socket, direct);
    return connection;
  } catch (error) {
    attempt.abandon();
    throw error;
  } finally {
    attempt.done();
  }
}

async function open(attempt: RequestAttempt, route: ServerRoute, onread: Onread) {
  const { proxy, tls } = route;
  if (proxy) {
    const socket = await reachProxy(attempt, proxy, route.proxyContext);
    if (!tls) return { socket, direct: false };
    await openTunnel(attempt, socket, proxy, route);
    return { socket: await secure(attempt, route, { socket }), direct: false };
  }
  const { hostname: host, port, lookup, localAddress } = route;
  const from = localAddress === undefined ? {} : { localAddress };
  const target = { host, port, onread, ...from, ...(lookup ? { lookup } : {}) };
  if (tls) return { socket: await secure(attempt, route, target), direct: true };
  const socket = attempt.watch(connectTcp({ ...target, noDelay: true }));
  await attempt.until(socket, 'connect');
  return { socket, direct: true };
}

async function reachProxy(
  attempt: RequestAttempt,
  proxy: URL,
  secureContext: SecureContext | undefined,
): Promise<Socket> {
  const target = { host: bareHostname(proxy), port: portOf(proxy) };
  try {
    const secured = proxy.protocol === 'https:';
    const options = { ...target, ...serverName(target.host), secureContext };
    const socket = attempt.watch(
      secured ? connectTls(options) : connectTcp({ ...target, noDelay: true }),
    );
    await attempt.until(socket, secured ? 'secureConnect' : 'connect');
    return socket;
  } catch (cause) {
    if (attempt.signal.aborted) throw cause;
    throw new ProxyError(`the proxy ${proxy.host} cannot be reached`, { cause });
  }
}

type TlsTarget =
  | { socket: Socket }
  | { host: string; port: number; onread: Onread; lookup?: LookupFunction };

async function secure(
  attempt: RequestAttempt,
  route: ServerRoute,
  target: TlsTarget,
): Promise<TLSSocket> {
  const { tls, hostname } = route;
  const socket = connectTls({
    ...target,
    ...serverName(tls?.serverName ?? hostname),
    secureContext: tls?.context,
    session: tls?.session,
    rejectUnauthorized: tls?.verify ?? true,
    checkServerIdentity: checkNames,
    ALPNProtocols: ['http/1.1'],
  });
  attempt.watch(socket);
  socket.setNoDelay(true);
  socket.on('session', (session: Buffer) => {
    if (tls) tls.session = session;
  });
  await attempt.until(socket, 'secureConnect');
  return socket;
}

/** Only the list of names counts. Nodes and the container tools do not look at the common name. */
function checkNames(host: string, certificate: PeerCertificate): Error | undefined {
  const subject = { ...certificate.subject, CN: '' };
  return checkServerIdentity(host, { ...certificate, subject });
}

/** SNI takes no addresses; the certificate is still compared with it. */
function serverName(host: string) {
  return isIP(host) === 0 ? { servername: host } : { host };
}
