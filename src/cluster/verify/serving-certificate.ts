import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { bareHostname, portOf } from '../../http/server-route.ts';
import type { ClusterAccess } from '../api/kubeconfig.ts';

/** The certificate that an API shows to those who come. */
export interface ServingCertificate {
  readonly server: string;
  readonly validTo: Date;
}

const PATIENCE_MS = 10_000;

/** Looks at it as it is, trusted or not; undefined behind a proxy, without TLS, or when nobody answers. */
export async function servingCertificate({
  server,
  proxy,
  serverName,
}: ClusterAccess): Promise<ServingCertificate | undefined> {
  if (proxy || server.protocol !== 'https:') return undefined;
  const host = bareHostname(server);
  const name = serverName ?? (isIP(host) ? undefined : host);
  const options = { host, port: portOf(server), rejectUnauthorized: false, timeout: PATIENCE_MS };
  return await new Promise((resolve) => {
    const socket = connect({ ...options, ...(name ? { servername: name } : {}) });
    const end = (found: ServingCertificate | undefined) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('secureConnect', () => {
      const until = socket.getPeerX509Certificate()?.validTo;
      end(until === undefined ? undefined : { server: server.host, validTo: new Date(until) });
    });
    socket.once('timeout', () => end(undefined));
    socket.once('error', () => end(undefined));
  });
}
