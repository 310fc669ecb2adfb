import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { AtollError } from '../core/errors.ts';
import { readText, readTextIfPresent } from '../core/files.ts';
import { loadCertsDir } from './certs-dir.ts';
import { proxyFor } from './no-proxy.ts';
import type { HttpOptions } from './options.ts';
import { bareHostname, portOf, type ServerRoute } from './server-route.ts';

/** An intermediate CA in the trust store is enough, without the root above it: nodes see it so too. */
export const TRUSTING = { allowPartialTrustChain: true } as const;

interface RouteRequest {
  readonly url: URL;
  readonly registry: string;
  readonly verify: boolean;
}

/** Knows how each server is reached: trust, client certificates and proxy, read once. */
export interface ServerRoutes {
  routeFor(wanted: RouteRequest): Promise<ServerRoute>;
}

export function createServerRoutes(options: HttpOptions): ServerRoutes {
  const known = new Map<string, Promise<ServerRoute>>();
  const contexts = createContexts(options);
  const make = async (key: string, wanted: RouteRequest): Promise<ServerRoute> => {
    const { url, verify } = wanted;
    const proxy = proxyFor(url, options.env ?? process.env);
    const isTls = url.protocol === 'https:';
    const tlsProxy = proxy?.protocol === 'https:';
    return {
      key,
      hostname: bareHostname(url),
      port: portOf(url),
      lookup: options.addressOf && lookupWith(options.addressOf),
      localAddress: options.localAddress,
      tls: isTls ? { context: await contexts.contextFor(wanted), verify } : undefined,
      proxy,
      proxyContext: tlsProxy ? await contexts.common() : undefined,
    };
  };
  return {
    routeFor(wanted) {
      const key = `${wanted.url.origin} ${wanted.registry}${wanted.verify ? '' : ' unverified'}`;
      const found = known.get(key) ?? make(key, wanted);
      known.set(key, found);
      return found;
    },
  };
}

/** Node's lookup over other names than those of DNS: what they do not know does not exist. */
function lookupWith(addressOf: NonNullable<HttpOptions['addressOf']>): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (address: string | undefined) => {
      if (address === undefined) return callback(unresolved(hostname), '', 0);
      const family = isIP(address);
      if (options.all) callback(null, [{ address, family }]);
      else callback(null, address, family);
    };
    Promise.resolve(addressOf(hostname)).then(answer, () => answer(undefined));
  };
}

function unresolved(hostname: string): NodeJS.ErrnoException {
  const error = new Error(`getaddrinfo ENOTFOUND ${hostname}`);
  return Object.assign(error, { code: 'ENOTFOUND', hostname });
}

/** A client certificate is shown to the registry itself, and not to servers that it redirects to. */
function isAt(url: URL, registry: string): boolean {
  return url.host === new URL(`https://${registry}`).host;
}

/** Reading a hundred roots takes a while: hosts without certificates of their own share them. */
function createContexts(options: HttpOptions) {
  let loading: Promise<readonly string[]> | undefined;
  let sharing: Promise<SecureContext> | undefined;
  const trust = () => {
    loading ??= loadTrust(options);
    return loading;
  };
  const common = () => {
    sharing ??= trust().then((ca) => createSecureContext({ ...TRUSTING, ca: [...ca] }));
    return sharing;
  };
  const contextFor = async ({ url, registry, verify }: RouteRequest): Promise<SecureContext> => {
    const { ca, clients: pairs } = await loadCertsDir(registry, options);
    const clients = isAt(url, registry) ? pairs : [];
    try {
      if (verify && ca.length === 0 && clients.length === 0) return await common();
      return createSecureContext({
        ...TRUSTING,
        ca: verify ? [...(await trust()), ...ca] : [],
        cert: clients.map((client) => client.cert),
        key: clients.map((client) => client.key),
      });
    } catch (cause) {
      if (cause instanceof AtollError) throw cause;
      throw new AtollError('INPUT_INVALID', `Cannot use the certificates for ${registry}`, {
        hint:
          clients.length > 1
            ? `Leave one pair NAME.cert and NAME.key in certs.d/${registry}: only one can be shown`
            : 'Check that every file given with --ca and in certs.d holds PEM',
        cause,
      });
    }
  };
  return { common, contextFor };
}

/** Where Linux distributions keep the roots of the machine, private ones included. */
const SYSTEM_BUNDLES = [
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** PEM texts of everything trusted for all hosts: the machine's roots and `--ca`. */
export async function loadTrust(options: HttpOptions): Promise<readonly string[]> {
  const env = options.env ?? process.env;
  const extra = [
    ...(env.NODE_EXTRA_CA_CERTS ? [env.NODE_EXTRA_CA_CERTS] : []),
    ...(options.ca ?? []),
  ];
  const named = await Promise.all(extra.map(readCertificates));
  return [...(await systemRoots(env.SSL_CERT_FILE)), ...named];
}

async function readCertificates(path: string): Promise<string> {
  const text = await readText(path);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new AtollError('INPUT_INVALID', `Cannot trust "${path}": it holds no certificate`, {
    hint: 'Give a PEM file with the certificate of the CA, such as ca.crt',
    details: { path },
  });
}

async function systemRoots(named: string | undefined): Promise<readonly string[]> {
  if (named) return [await readText(named)];
  for (const path of SYSTEM_BUNDLES) {
    const text = await readTextIfPresent(path);
    if (text !== undefined) return [text];
  }
  return rootCertificates;
}
