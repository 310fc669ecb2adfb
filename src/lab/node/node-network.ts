import { join } from 'node:path';
import { readTextIfPresent } from '../../core/files.ts';
import type { RegistriesConf } from '../../oci/registries/model.ts';
import { parseHosts } from '../../rehearse/node/hosts.ts';
import { loadRegistriesConf } from '../../remote/config/load-registries-conf.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Registries } from '../../remote/registries.ts';

/** The files of a node that decide where and how it pulls. */
export const NODE_FILES = {
  registriesConf: 'etc/containers/registries.conf',
  pullSecret: 'root/.docker/config.json',
  trust: 'etc/pki/ca-trust/source/anchors/ca.crt',
  hosts: 'etc/hosts',
} as const;

/** A node's way to registries: only what its own file system says, nothing of this machine. */
export interface NodeNetwork {
  readonly registries: Registries;
  readonly conf: RegistriesConf;
}

/** `address` is where the mirror sees the node; without one, it comes from wherever this machine does. */
export async function nodeNetwork(root: string, address?: string): Promise<NodeNetwork> {
  const at = (path: string) => join(root, path);
  const trusted = (await readTextIfPresent(at(NODE_FILES.trust))) !== undefined;
  const hosts = parseHosts((await readTextIfPresent(at(NODE_FILES.hosts))) ?? '');
  const registriesConf = at(NODE_FILES.registriesConf);
  const conf = await loadRegistriesConf({ registriesConf });
  const registries = createRegistries({
    authfile: at(NODE_FILES.pullSecret),
    registriesConf,
    certsDir: at('etc/containers/certs.d'),
    ca: trusted ? [at(NODE_FILES.trust)] : [],
    env: {},
    localAddress: address,
    // A lab has no DNS: a name is in the node's hosts file or it does not exist.
    addressOf: (host) => hosts.get(host),
    tuning: { retry: { attempts: 2, firstDelayMs: 50 }, connectTimeoutMs: 5000 },
  });
  return { registries, conf };
}
