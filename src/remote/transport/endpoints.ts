import { createSecureContext, type SecureContext } from 'node:tls';
import { AtollError } from '../../core/errors.ts';
import { loadCertsDir } from '../certs-dir.ts';
import { proxyFor } from '../no-proxy.ts';
import type { RegistryOptions } from '../registries.ts';
import { bareHostname, type Endpoint, portOf } from './endpoint.ts';
import { lookupWith } from './lookup.ts';
import { loadTrust } from './trust.ts';

/** Knows how each server is reached: trust, client certificates and proxy, read once. */
export interface Endpoints {
  /** `verify` false takes any certificate. */
  endpointFor(url: URL, verify: boolean): Promise<Endpoint>;
}

export function createEndpoints(options: RegistryOptions): Endpoints {
  const known = new Map<string, Promise<Endpoint>>();
  const contexts = createContexts(options);
  const make = async (key: string, url: URL, verify: boolean): Promise<Endpoint> => {
    const proxy = proxyFor(url, options.env ?? process.env);
    const isTls = url.protocol === 'https:';
    const tlsProxy = proxy?.protocol === 'https:';
    return {
      key,
      hostname: bareHostname(url),
      port: portOf(url),
      lookup: options.addressOf && lookupWith(options.addressOf),
      tls: isTls ? { context: await contexts.contextFor(url, verify), verify } : undefined,
      proxy,
      proxyContext: tlsProxy ? await contexts.common() : undefined,
    };
  };
  return {
    endpointFor(url, verify) {
      const key = `${url.origin}${verify ? '' : ' unverified'}`;
      const found = known.get(key) ?? make(key, url, verify);
      known.set(key, found);
      return found;
    },
  };
}

/** Reading a hundred roots takes a while: hosts without certificates of their own share them. */
function createContexts(options: RegistryOptions) {
  let loading: Promise<readonly string[]> | undefined;
  let sharing: Promise<SecureContext> | undefined;
  const trust = () => {
    loading ??= loadTrust(options);
    return loading;
  };
  const common = () => {
    sharing ??= trust().then((ca) => createSecureContext({ ca: [...ca] }));
    return sharing;
  };
  const contextFor = async (url: URL, verify: boolean): Promise<SecureContext> => {
    const { ca, clients } = await loadCertsDir(url.host, options);
    try {
      if (verify && ca.length === 0 && clients.length === 0) return await common();
      return createSecureContext({
        ca: verify ? [...(await trust()), ...ca] : [],
        cert: clients.map((client) => client.cert),
        key: clients.map((client) => client.key),
      });
    } catch (cause) {
      if (cause instanceof AtollError) throw cause;
      throw new AtollError('INPUT_INVALID', `Cannot use the certificates for ${url.host}`, {
        hint: 'Check that every file given with --ca and in certs.d holds PEM',
        cause,
      });
    }
  };
  return { common, contextFor };
}
