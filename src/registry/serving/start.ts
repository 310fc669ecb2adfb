import type { Server } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Context } from '../../core/context.ts';
import type { FileBacked, Store } from '../../store/store.ts';
import { type Authenticator, createAuthenticator, openToAll } from '../auth/authenticator.ts';
import { watchUserFiles } from '../auth/user-files.ts';
import { type ConnectUpstream, createPullThrough } from '../cache/pull-through.ts';
import { blobFiles } from '../storage/blob-files.ts';
import { createContentCache } from '../storage/content-cache.ts';
import { diskSpace } from '../storage/disk-space.ts';
import { CACHE_SPACE, openLinks, STORE_SPACE } from '../storage/links.ts';
import { cachedRecords } from '../storage/record-cache.ts';
import { type CertificatePaths, loadCertificate } from '../tls/certificate-file.ts';
import { type CertificateWatch, watchCertificate } from '../tls/certificate-watch.ts';
import { expireUploads } from '../upkeep/expire-uploads.ts';
import { type AccessSink, fileAccessLog } from './access-log.ts';
import { closeServers, type OpenServer } from './close-servers.ts';
import { trackConnections } from './connections.ts';
import type { Service } from './exchange.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { listenOn } from './listen-on.ts';
import { createMetrics, type Metrics, type Snapshot, sumSnapshots } from './metrics.ts';
import { createPages } from './pages.ts';
import { createListener } from './server.ts';

/** Where to listen, and what to serve there: the store, or a cache of one upstream, never both. */
export interface ListenerConfig {
  /** Defaults to loopback. */
  readonly host?: string | undefined;
  /** 0 takes any free one. */
  readonly port: number;
  readonly tls?: CertificatePaths | undefined;
  /** Host of the registry whose content this listener fetches and keeps. */
  readonly upstream?: string | undefined;
}

export interface AuthConfig {
  readonly htpasswd: string;
  /** Without it every user may pull everything. */
  readonly grants?: string | undefined;
  readonly anonymousPull?: boolean | undefined;
}

export interface RegistryConfig {
  readonly store: Store;
  readonly listeners: readonly ListenerConfig[];
  /** Without it everybody may do everything. */
  readonly auth?: AuthConfig | undefined;
  readonly readOnly?: boolean | undefined;
  readonly redirect?: boolean | undefined;
  /** File of JSON lines; several processes may share it. */
  readonly accessLog?: string | undefined;
  readonly onAccess?: AccessSink | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Needed for a listener with an upstream. */
  readonly connect?: ConnectUpstream | undefined;
  /** Numbers of the other processes that serve the same store. */
  readonly peerMetrics?: (() => readonly Snapshot[]) | undefined;
  /** Replaces the look at the disk, for tests. */
  readonly measureFreeBytes?: (() => Promise<number>) | undefined;
}

export interface RunningListener {
  /** `host:port` as clients write it. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

export interface RunningRegistry {
  readonly listeners: readonly RunningListener[];
  /** Of the first listener. */
  readonly host: string;
  readonly url: string;
  snapshot(): Snapshot;
  /** Looks at the certificates now instead of within a second. */
  reloadCertificates(): Promise<void>;
  /** Takes no new connections and lets what is under way finish, for at most `drainMs`. */
  close(drainMs?: number): Promise<void>;
}

const DRAIN_MS = 30_000;

/** Starts serving and returns once every listener accepts connections. */
export async function startRegistry(
  ctx: Context,
  config: RegistryConfig,
): Promise<RunningRegistry> {
  const limits = { ...DEFAULT_LIMITS, ...config.limits };
  const metrics = createMetrics();
  const log = openLog(ctx, config);
  const authenticator = openAuth(ctx, config, metrics);
  const service = createService(ctx, config, limits, metrics);
  const servers: OpenServer[] = [];
  const watches: CertificateWatch[] = [];
  const pages = createPages({
    space: service.space,
    readOnly: service.readOnly,
    snapshot: () => sumSnapshots([metrics.snapshot(), ...(config.peerMetrics?.() ?? [])]),
    expiries: () => watches.map((watch) => watch.expiresAt()),
  });
  const expiry = expireUploads(ctx, config.store, limits.uploadExpiryMs);

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
    const server = createListener({
      name: listener.upstream ?? 'store',
      service: serviceFor(service, config, listener),
      authenticator,
      onAccess: log.write,
      page: pages.page,
      tls: loaded,
    });
    servers.push({ server, connections: trackConnections(server) });
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

interface OptionalLog {
  /** Undefined when nobody wants to know. */
  readonly write: AccessSink | undefined;
  close(): Promise<void>;
}

function openLog(ctx: Context, { accessLog, onAccess }: RegistryConfig): OptionalLog {
  const file =
    accessLog === undefined
      ? undefined
      : fileAccessLog(accessLog, ({ message }) =>
          ctx.emit({ type: 'warning.raised', message, subject: accessLog }),
        );
  const both: AccessSink = (entry) => {
    file?.write(entry);
    onAccess?.(entry);
  };
  return {
    write: file && onAccess ? both : (file?.write ?? onAccess),
    close: async () => await file?.close(),
  };
}

function openAuth(ctx: Context, { auth }: RegistryConfig, metrics: Metrics): Authenticator {
  if (!auth) return openToAll;
  return createAuthenticator(ctx, {
    users: watchUserFiles(ctx, auth.htpasswd, auth.grants),
    anonymousPull: auth.anonymousPull ?? false,
    onFailure: (throttled) => metrics.count(throttled ? 'logins_throttled' : 'login_failures'),
  });
}

const isFileBacked = (store: Store): store is Store & FileBacked => 'blobPath' in store;

function createService(
  ctx: Context,
  config: RegistryConfig,
  limits: Limits,
  metrics: Metrics,
): Service {
  const { store } = config;
  const onDamaged = (digest: string) => {
    metrics.count('damaged_blobs');
    const message = `The blob ${digest} is damaged on disk and is served no more`;
    const hint = 'Push it again, or run "atoll registry check --repair-from REGISTRY"';
    ctx.emit({ type: 'warning.raised', message, hint, subject: digest });
  };
  const files = isFileBacked(store) ? store : undefined;
  return {
    ctx,
    store,
    links: openLinks(cachedRecords(store.records), STORE_SPACE),
    content: createContentCache(limits.cacheBytes),
    files: files && blobFiles(ctx, files, onDamaged),
    space: diskSpace({
      root: files?.root,
      minFreeBytes: limits.minFreeBytes,
      measure: config.measureFreeBytes,
    }),
    limits,
    metrics,
    readOnly: config.readOnly ?? false,
    redirect: config.redirect ?? false,
    upstream: undefined,
  };
}

function serviceFor(service: Service, config: RegistryConfig, listener: ListenerConfig): Service {
  const { upstream } = listener;
  if (upstream === undefined) return service;
  if (!config.connect) throw new Error('A pull-through cache needs a way to its upstream');
  return {
    ...service,
    links: openLinks(cachedRecords(service.store.records), `${CACHE_SPACE}/${upstream}`),
    upstream: createPullThrough(upstream, config.connect),
  };
}

function announce(ctx: Context, server: Server, listener: ListenerConfig): RunningListener {
  const { port } = server.address() as AddressInfo;
  const name = listener.host ?? '127.0.0.1';
  const host = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  const url = `${listener.tls ? 'https' : 'http'}://${host}`;
  ctx.emit({ type: 'server.started', server: 'registry', url });
  return { host, port, url };
}
