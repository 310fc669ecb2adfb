import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { isFor, readPemBundle } from '../../generate/install-config/certificates.ts';
import { loadCertsDir } from '../../http/certs-dir.ts';
import { ISSUER_UNKNOWN, networkCode, networkError } from '../../http/network-error.ts';
import { proxyFor } from '../../http/no-proxy.ts';
import { TRUSTING } from '../../http/server-routes.ts';
import { hostNameOf, hostOf } from '../../oci/registries/location.ts';
import { formatRule } from '../node/mirror-rules.ts';
import { insecureHosts, type RehearsalNode } from '../node/open-node.ts';
import { refusedHole } from './classify.ts';
import type { Hole } from './hole.ts';
import {
  EXPIRY_WARNING_DAYS,
  expired,
  expiring,
  notVerified,
  onLoopback,
  unfit,
  untrusted,
  wrongName,
} from './tls-holes.ts';

const TIMEOUT_MS = 5000;
const DAY_MS = 86_400_000;

/** What a registry shows when a node shakes hands with it, and what OpenSSL thinks of the chain. */
interface Handshake {
  readonly certificate: X509Certificate | undefined;
  readonly chainError: string | undefined;
}

/** Looks at one registry of the mirror as a node sees it: name, route, chain, name, time. */
export async function probeHost(ctx: Context, node: RehearsalNode, host: string): Promise<Hole[]> {
  const rules = rulesFor(node, host);
  const loopback = /^(localhost|127\.|\[::1\])/.test(host) ? [onLoopback(host, rules)] : [];
  if (insecureHosts(node.config).includes(host)) return [...loopback, notVerified(host, rules)];
  const url = new URL(`https://${host}`);
  // A proxy answers for the mirror: what it shows is seen with the first image.
  if (proxyFor(url, node.config.proxy)) return loopback;
  try {
    const shown = await shakeHands(ctx, node, host, url);
    return [...loopback, ...certificateHoles(ctx, node, host, shown)];
  } catch (cause) {
    ctx.signal.throwIfAborted();
    const target = { registry: host, repository: '' };
    return [...loopback, refusedHole(node.config, target, networkError(url, cause, host))];
  }
}

function rulesFor({ config }: RehearsalNode, host: string): string {
  const rules = config.conf.registries.filter(({ mirrors }) =>
    mirrors.some(({ location }) => hostOf(location) === host),
  );
  return rules.map(formatRule).join('; ') || `Images name ${host} themselves`;
}

async function shakeHands(
  ctx: Context,
  node: RehearsalNode,
  host: string,
  url: URL,
): Promise<Handshake> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const address = isIP(name) === 0 ? await node.addressOf(name) : name;
  if (address === undefined) throw new AtollError('NAME_UNRESOLVED', `Cannot resolve ${name}`);
  const { ca, clients } = await loadCertsDir(host, node.options);
  const socket = connect({
    host: address,
    port: Number(url.port || 443),
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...TRUSTING,
    ca: [...node.ca, ...ca],
    cert: clients.map(({ cert }) => cert),
    key: clients.map(({ key }) => key),
    // Everything is looked at here, so that one fault does not hide another.
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await secured(ctx, socket);
    const error = socket.authorizationError as unknown as string | null;
    return { certificate: socket.getPeerX509Certificate(), chainError: error ?? undefined };
  } finally {
    socket.destroy();
  }
}

function secured(ctx: Context, socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(ctx.signal.reason);
    ctx.signal.addEventListener('abort', stop, { once: true });
    socket.setTimeout(TIMEOUT_MS, () => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    socket.once('secureConnect', resolve).once('error', reject);
    socket.once('close', () => {
      ctx.signal.removeEventListener('abort', stop);
      reject(new Error('the connection was closed'));
    });
  });
}

function certificateHoles(
  ctx: Context,
  node: RehearsalNode,
  host: string,
  { certificate, chainError }: Handshake,
): Hole[] {
  if (!certificate) return [untrusted(node.config, host)];
  const holes: Hole[] = [];
  const code =
    chainError && networkCode(Object.assign(new Error(chainError), { code: chainError }));
  const time = timeHole(ctx, host, certificate);
  if (time) holes.push(time);
  if (code === 'TLS_EXPIRED' && time?.severity !== 'hole')
    holes.push(expired(host, 'A CA in its chain is not valid now'));
  if (code && code !== 'TLS_EXPIRED')
    holes.push(
      ISSUER_UNKNOWN.has(chainError ?? '')
        ? untrusted(node.config, host, certificate)
        : unfit(host, chainError ?? code),
    );
  if (!isFor(certificate, hostNameOf(host))) holes.push(wrongName(node.config, host, certificate));
  const issuer = issuerOf(node, certificate);
  if (issuer && isEnding(ctx, issuer)) holes.push(expiring(host, 'The CA', validTo(issuer)));
  return holes;
}

function timeHole(ctx: Context, host: string, certificate: X509Certificate): Hole | undefined {
  const now = ctx.now().getTime();
  const [from, to] = [new Date(certificate.validFrom), validTo(certificate)];
  if (now < from.getTime()) return expired(host, `not before ${from.toISOString()}`);
  if (now > to.getTime()) return expired(host, `not after ${to.toISOString()}`);
  return isEnding(ctx, certificate) ? expiring(host, 'The certificate', to) : undefined;
}

const validTo = (certificate: X509Certificate) => new Date(certificate.validTo);

function isEnding(ctx: Context, certificate: X509Certificate): boolean {
  const left = validTo(certificate).getTime() - ctx.now().getTime();
  return left > 0 && left < EXPIRY_WARNING_DAYS * DAY_MS;
}

/** The CA of the trust bundle that signed this certificate. */
function issuerOf(node: RehearsalNode, certificate: X509Certificate): X509Certificate | undefined {
  const { certificates } = readPemBundle(node.config.trustBundle);
  return certificates.find(
    (ca) =>
      ca.fingerprint256 !== certificate.fingerprint256 &&
      certificate.checkIssued(ca) &&
      certificate.verify(ca.publicKey),
  );
}
