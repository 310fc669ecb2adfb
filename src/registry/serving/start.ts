import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { openAccessLog } from '../access/access-log.ts';
import { type Authenticator, createAuthenticator, openToAll } from '../auth/authenticator.ts';
import { ensureTokens, parseTokens } from '../auth/robots.ts';
import { readNow, watched, watchUserFiles } from '../auth/user-files.ts';
import { loadCertificate } from '../tls/certificate-file.ts';
import { type CertificateWatch, watchCertificate } from '../tls/certificate-watch.ts';
import { expireUploads } from '../upkeep/expire-uploads.ts';
import { readUpkeep } from '../upkeep/state.ts';
import { closeServers, type OpenServer } from './close-servers.ts';
import { trackConnections } from './connections.ts';
import { listenOn } from './listen-on.ts';
import type { ListenerOptions } from './listener-options.ts';
import { createMetrics, type Metrics, sumSnapshots } from './metrics.ts';
import { createPages } from './pages.ts';
import { answerQuickly } from './quick-pulls.ts';
import type {
  ListenerConfig,
  RegistryConfig,
  RunningListener,
  RunningRegistry,
} from './registry-config.ts';
import { createListener } from './server.ts';
import { createService, serviceFor } from './service.ts';

const DRAIN_MS = 30_000;

/** Starts serving and returns once every listener accepts connections. */
export async function startRegistry(
  ctx: Context,
  config: RegistryConfig,
): Promise<RunningRegistry> {
  const metrics = createMetrics();
  const log = openAccessLog(ctx, config);
  const authenticator = await openAuth(ctx, config, metrics);
  const service = await createService(ctx, config, metrics);
  const servers: OpenServer[] = [];
  const watches: CertificateWatch[] = [];
  const pages = createPages({
    space: service.space,
    readOnly: service.readOnly,
    snapshot: () => sumSnapshots([metrics.snapshot(), ...(config.peerMetrics?.() ?? [])]),
    expiries: () => watches.map((watch) => watch.expiresAt()),
    upkeep: () => readUpkeep(ctx, config.store),
  });
  const expiry = expireUploads(ctx, config.store, service.limits.uploadExpiryMs);

  const close = async (drainMs = DRAIN_MS) => {
    expiry.close();
    for (const watch of watches) watch.close();
    pages.drain();
    await closeServers(servers, drainMs);
    await log.close();
    ctx.emit({ type: 'server.stopped', server: 'registry' });
  };

  const start = async (listener: ListenerConfig): Promise<RunningListener> => {
    const loaded = listener.tls && (await loadCertificate(listener.tls));
    const options: ListenerOptions = {
      name: listener.upstream ?? 'store',
      service: serviceFor(service, config, listener),
      authenticator,
      challenge: { kind: config.auth?.challenge ?? 'basic', realm: config.auth?.realm },
      onAccess: log.write,
      page: pages.page,
      metricsLogin: config.auth?.metricsLogin ?? false,
      tls: loaded,
    };
    const server = createListener(options);
    const connections = trackConnections(server);
    answerQuickly(server, options, connections);
    servers.push({ server, connections });
    await listenOn(server, listener);
    if (listener.tls && loaded) {
      watches.push(watchCertificate(ctx, server as TlsServer, listener.tls, loaded));
    }
    return announce(ctx, server, listener);
  };

  const listeners: RunningListener[] = [];
  try {
    for (const listener of config.listeners) listeners.push(await start(listener));
  } catch (error) {
    await close(0);
    throw error;
  }
  return {
    listeners,
    host: listeners[0]?.host ?? '',
    url: listeners[0]?.url ?? '',
    snapshot: () => metrics.snapshot(),
    reloadCertificates: async () => {
      for (const watch of watches) await watch.look();
    },
    close,
  };
}

async function openAuth(
  ctx: Context,
  { auth, comparePassword }: RegistryConfig,
  metrics: Metrics,
): Promise<Authenticator> {
  if (!auth) return openToAll;
  const tokens = await tokensOf(ctx, auth);
  return createAuthenticator(ctx, {
    users: watchUserFiles(ctx, auth.htpasswd, auth.grants),
    tokens:
      tokens === undefined
        ? undefined
        : watched(ctx, tokens, () => parseTokens(tokens, readNow(tokens))),
    anonymousPull: auth.anonymousPull ?? false,
    passwords: { compare: comparePassword },
    onFailure: (throttled) => metrics.count(throttled ? 'logins_throttled' : 'login_failures'),
  });
}

/** A service that may not write there serves without tokens, unless it asks clients for them. */
async function tokensOf(
  ctx: Context,
  { tokens, challenge }: NonNullable<RegistryConfig['auth']>,
): Promise<string | undefined> {
  if (tokens === undefined) return undefined;
  try {
    await ensureTokens(ctx, tokens);
    return tokens;
  } catch (error) {
    if (challenge === 'bearer') throw error;
    const message = `There are no tokens: ${messageOf(error)}`;
    const hint = 'Make the file with "atoll registry token create", and restart';
    ctx.emit({ type: 'warning.raised', message, hint, subject: tokens });
    return undefined;
  }
}

function announce(ctx: Context, server: Server, listener: ListenerConfig): RunningListener {
  const { port } = server.address() as AddressInfo;
  const name = listener.host ?? '127.0.0.1';
  const host = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  const url = `${listener.tls ? 'https' : 'http'}://${host}`;
  ctx.emit({ type: 'server.started', server: 'registry', url });
  return { host, port, url };
}
