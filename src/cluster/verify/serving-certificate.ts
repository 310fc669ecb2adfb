import { isIP } from 'node:net';
import { connect } from 'node:tls';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { mapBounded } from '../../core/pool.ts';
import { bareHostname, portOf } from '../../http/server-route.ts';
import type { ClusterAccess } from '../api/kubeconfig.ts';
import type { KubeObject } from '../api/object.ts';

/** The certificate that an API server presents to clients. */
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
  const servername = serverName ?? (isIP(host) ? undefined : host);
  const validTo = await shownAt({ host, port: portOf(server), servername, timeout: PATIENCE_MS });
  return validTo && { server: server.host, validTo };
}

interface Shown {
  readonly host: string;
  readonly port: number;
  readonly servername?: string | undefined;
  readonly timeout: number;
}

/** When the certificate of a server expires; undefined where the server does not answer. */
function shownAt({ servername, ...place }: Shown): Promise<Date | undefined> {
  const options = { ...place, rejectUnauthorized: false };
  return new Promise((resolve) => {
    const socket = connect({ ...options, ...(servername ? { servername } : {}) });
    const end = (found: Date | undefined) => {
      socket.destroy();
      resolve(found);
    };
    socket.once('secureConnect', () => {
      const until = socket.getPeerX509Certificate()?.validTo;
      end(until === undefined ? undefined : new Date(until));
    });
    socket.once('timeout', () => end(undefined));
    socket.once('error', () => end(undefined));
  });
}

/** What the kubelet of a node shows; undefined where it cannot be reached from here. */
export interface KubeletCertificate {
  readonly node: string;
  readonly validTo: Date | undefined;
}

const nodeSchema = z.object({
  metadata: z.object({ name: z.string() }),
  status: z.object({
    addresses: z.array(z.object({ type: z.string(), address: z.string() })),
    daemonEndpoints: z.object({ kubeletEndpoint: z.object({ Port: z.number().positive() }) }),
  }),
});

const AT_ONCE = 16;
const KUBELET_PATIENCE_MS = 3000;

/** Asks each node that says where its kubelet listens. */
export async function kubeletCertificates(
  ctx: Context,
  nodes: readonly KubeObject[],
): Promise<readonly KubeletCertificate[]> {
  const known = nodes.flatMap((node) => nodeSchema.safeParse(node).data ?? []);
  return await mapBounded(ctx, AT_ONCE, known, async ({ metadata, status }) => {
    const host = status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
    const port = status.daemonEndpoints.kubeletEndpoint.Port;
    const place = { host, port, timeout: KUBELET_PATIENCE_MS };
    return { node: metadata.name, validTo: host === '' ? undefined : await shownAt(place) };
  });
}
