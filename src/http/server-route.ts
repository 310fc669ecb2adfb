import type { LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';

/** How one server is reached: address, TLS trust, proxy. */
export interface ServerRoute {
  /** Connections are kept per key. */
  readonly key: string;
  /** Host name or address without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** How names become addresses, where not by DNS. */
  readonly lookup: LookupFunction | undefined;
  /** The address of this machine to connect from. */
  readonly localAddress?: string | undefined;
  readonly tls: RouteTls | undefined;
  readonly proxy: URL | undefined;
  /** What to trust when the proxy itself speaks TLS. */
  readonly proxyContext: SecureContext | undefined;
}

export interface RouteTls {
  readonly context: SecureContext;
  readonly verify: boolean;
  /** The name that the certificate must have, where it is not the one that is dialled. */
  readonly serverName?: string | undefined;
  /** The last session, so that the next handshake is short. */
  session?: Buffer | undefined;
}

export function bareHostname(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}
