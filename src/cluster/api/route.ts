import { createSecureContext } from 'node:tls';
import { AtollError } from '../../core/errors.ts';
import { proxyFor } from '../../http/no-proxy.ts';
import { bareHostname, portOf, type ServerRoute } from '../../http/server-route.ts';
import { loadTrust, TRUSTING } from '../../http/server-routes.ts';

import type { ClusterAccess } from './kubeconfig.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** How the API is dialled: only the CA of the kubeconfig counts, where it names one. */
export async function routeTo(access: ClusterAccess, env: Env): Promise<ServerRoute> {
  const { server, verify, serverName } = access;
  const proxy = access.proxy ?? proxyFor(server, env);
  const isTls = server.protocol === 'https:';
  return {
    key: server.origin,
    hostname: bareHostname(server),
    port: portOf(server),
    lookup: undefined,
    tls: isTls ? { context: await contextOf(access, env), verify, serverName } : undefined,
    proxy,
    proxyContext:
      proxy?.protocol === 'https:'
        ? createSecureContext({ ...TRUSTING, ca: [...(await loadTrust({ env }))] })
        : undefined,
  };
}

async function contextOf({ file, ca, client }: ClusterAccess, env: Env) {
  const roots = ca === undefined ? [...(await loadTrust({ env }))] : [ca];
  try {
    return createSecureContext({ ...TRUSTING, ca: roots, cert: client?.cert, key: client?.key });
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot use the certificates in "${file}"`, {
      hint: 'CA, client certificate and key must be PEM, and belong together',
      details: { path: file },
      cause,
    });
  }
}
