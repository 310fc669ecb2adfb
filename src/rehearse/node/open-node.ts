import { Resolver } from 'node:dns/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { formatPullSecret } from '../../generate/pull-secret.ts';
import { hostOf } from '../../oci/registries/location.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Registries, RegistryOptions } from '../../remote/registries.ts';
import type { NodeConfig } from './node-config.ts';

/** A node as far as pulling goes: its files, its names, its connections. */
export interface RehearsalNode {
  readonly config: NodeConfig;
  readonly registries: Registries;
  readonly addressOf: AddressOf;
  /** PEM texts a node trusts for all hosts: the public roots of its OS and the trust bundle. */
  readonly ca: readonly string[];
  /** Registries of the site: those that rules name as mirrors, and those the user named. */
  readonly inside: ReadonlySet<string>;
  /** What connections are made with. */
  readonly options: RegistryOptions;
  /** The same for many more nodes: with a trust bundle, without the public roots beside it. */
  readonly leanOptions: RegistryOptions;
  close(): Promise<void>;
}

/** A dead mirror should be told soon, and a slow one still be waited for. */
const TUNING = { retry: { attempts: 3, firstDelayMs: 200 }, connectTimeoutMs: 5000 } as const;

/**
 * Makes the node from its configuration alone: no auth file, registries.conf, certs.d, proxy or
 * private CA of this machine is used. Close it: its secrets lie in a private folder until then.
 */
export async function openNode(
  config: NodeConfig,
  inside: readonly string[] = [],
): Promise<RehearsalNode> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-rehearse-'));
  const at = (name: string) => join(folder, name);
  const addressOf = nodeNames(config.hosts, config.dns);
  const ca = [...rootCertificates, ...(config.trustBundle.trim() ? [config.trustBundle] : [])];
  await writeFileAtomic(at('ca-bundle.crt'), `${ca.join('\n')}\n`);
  await writeFileAtomic(at('auth.json'), formatPullSecret(config.pullSecret), {
    mode: SECRET_MODE,
  });
  await writeFileAtomic(at('registries.conf'), '');
  const options: RegistryOptions = {
    authfile: at('auth.json'),
    // Rules are applied here, one endpoint at a time, so that each can be told apart.
    registriesConf: at('registries.conf'),
    certsDir: config.certsDir ?? at('certs.d'),
    env: { ...config.proxy, SSL_CERT_FILE: at('ca-bundle.crt') },
    addressOf,
    asNode: true,
    tuning: TUNING,
  };
  const lean = config.trustBundle.trim() ? at('trust-bundle.crt') : at('ca-bundle.crt');
  if (config.trustBundle.trim()) await writeFileAtomic(lean, config.trustBundle);
  const registries = createRegistries(options);
  return {
    config,
    registries,
    addressOf,
    ca,
    options,
    leanOptions: { ...options, env: { ...options.env, SSL_CERT_FILE: lean } },
    inside: new Set([...mirrorHosts(config), ...inside.map(hostOf)]),
    async close() {
      await registries.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function mirrorHosts({ conf }: NodeConfig): string[] {
  return conf.registries.flatMap(({ mirrors }) => mirrors.map(({ location }) => hostOf(location)));
}

export function insecureHosts({ conf }: Pick<NodeConfig, 'conf'>): string[] {
  return conf.registries.flatMap(({ mirrors, insecure, location }) => [
    ...mirrors.filter((mirror) => mirror.insecure).map((mirror) => hostOf(mirror.location)),
    ...(insecure && location !== undefined ? [hostOf(location)] : []),
  ]);
}

/** How a node turns a name into an address; undefined: there is no such host. */
type AddressOf = (host: string) => Promise<string | undefined>;

const DNS = { timeout: 2000, tries: 2 } as const;

/**
 * Names as a node resolves them: its hosts file, then DNS. The hosts file of this machine is not
 * the node's, so it does not count; each name is asked for once.
 */
export function nodeNames(hosts: ReadonlyMap<string, string>, dns: boolean): AddressOf {
  const asked = new Map<string, Promise<string | undefined>>();
  const resolver = new Resolver(DNS);
  return async (host) => {
    const listed = hosts.get(host);
    if (listed !== undefined || !dns) return listed;
    const answer = asked.get(host) ?? askDns(resolver, host);
    asked.set(host, answer);
    return await answer;
  };
}

async function askDns(resolver: Resolver, host: string): Promise<string | undefined> {
  const [four] = await resolver.resolve4(host).catch(() => []);
  if (four !== undefined) return four;
  const [six] = await resolver.resolve6(host).catch(() => []);
  return six;
}
