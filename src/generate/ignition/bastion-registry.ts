import { AtollError } from '../../core/errors.ts';
import { distributionConfig } from '../units/distribution-config.ts';
import { podmanUnit } from '../units/podman-unit.ts';
import {
  REGISTRY_DEFAULTS,
  REGISTRY_UNIT,
  registryPathUnit,
  registryUnit,
} from '../units/registry-unit.ts';
import { type FileEntry, textFile } from './config.ts';
import type { IgnitionPart } from './parts.ts';

/** PEM texts. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** The mirror on the bastion: atoll's own registry, or CNCF distribution in a container. */
export type BastionRegistry = AtollRegistry | DistributionRegistry;

export interface AtollRegistry {
  readonly kind: 'atoll';
  /** The configuration file of `atoll registry serve`. */
  readonly config: string;
  /** Lines of its htpasswd file, with bcrypt hashes. */
  readonly htpasswd?: string | undefined;
  /** Where Ignition fetches the program; without it the service starts once it is copied there. */
  readonly program?: { readonly source: string; readonly hash: string } | undefined;
}

export interface DistributionRegistry {
  readonly kind: 'distribution';
  readonly image?: string | undefined;
  readonly port?: number | undefined;
  readonly htpasswd?: string | undefined;
}

export const DISTRIBUTION_IMAGE = 'docker.io/library/registry:2';
export const REGISTRY_PORT = 5000;
const OWNER = { user: { name: REGISTRY_DEFAULTS.user }, group: { name: REGISTRY_DEFAULTS.user } };

export function registryPart(
  registry: BastionRegistry,
  certificate: ServerCertificate | undefined,
): IgnitionPart {
  if (registry.kind === 'atoll') return atollPart(registry, certificate);
  return distributionPart({ ...registry, port: registry.port ?? REGISTRY_PORT }, certificate);
}

function atollPart(
  registry: AtollRegistry,
  certificate: ServerCertificate | undefined,
): IgnitionPart {
  const { user, data, config, program } = REGISTRY_DEFAULTS;
  const folder = config.slice(0, config.lastIndexOf('/'));
  const secret = { mode: 0o600, ...OWNER };
  return {
    // useradd makes the group of the same name; naming it here would make useradd fail.
    users: [{ name: user, system: true, noCreateHome: true, shell: '/usr/sbin/nologin' }],
    directories: [
      { path: folder, mode: 0o750, ...OWNER },
      { path: data, mode: 0o750, ...OWNER },
    ],
    files: [
      textFile(config, registry.config, secret),
      ...certificateFiles(folder, certificate, OWNER),
      ...(registry.htpasswd ? [textFile(`${folder}/htpasswd`, registry.htpasswd, secret)] : []),
      ...(registry.program ? [programFile(program, registry.program)] : []),
    ],
    units: registry.program
      ? [{ name: REGISTRY_UNIT, enabled: true, contents: registryUnit() }]
      : [
          { name: REGISTRY_UNIT, contents: registryUnit() },
          { name: 'atoll-registry.path', enabled: true, contents: registryPathUnit() },
        ],
  };
}

function programFile(path: string, { source, hash }: { source: string; hash: string }): FileEntry {
  if (!/^(?:sha512-[0-9a-f]{128}|sha256-[0-9a-f]{64})$/.test(hash)) {
    throw new AtollError('INPUT_INVALID', `Cannot fetch the program from "${source}": bad hash`, {
      hint: 'Give its hash as "sha256-" or "sha512-" and the hex digits',
    });
  }
  return { path, overwrite: true, mode: 0o755, contents: { source, verification: { hash } } };
}

/** A container of CNCF distribution on one port; also the form of a pull-through cache. */
export function distributionPart(
  registry: DistributionRegistry & {
    readonly port: number;
    readonly cacheOf?: Parameters<typeof distributionConfig>[0]['cacheOf'];
  },
  certificate: ServerCertificate | undefined,
): IgnitionPart {
  const { port, htpasswd, cacheOf } = registry;
  const host = `/var/lib/atoll/registry-${port}`;
  const inside = '/etc/registry';
  const config = distributionConfig({
    port,
    data: '/var/lib/registry',
    ...(certificate ? { tls: { certificate: `${inside}/tls.crt`, key: `${inside}/tls.key` } } : {}),
    ...(htpasswd ? { htpasswd: `${inside}/htpasswd` } : {}),
    cacheOf,
  });
  const name = `registry-${port}`;
  const contents = podmanUnit({
    name,
    description: cacheOf ? `Pull-through cache of ${cacheOf.url}` : 'Mirror registry',
    image: registry.image ?? DISTRIBUTION_IMAGE,
    command: [`${inside}/config.yml`],
    volumes: [
      { host: `${host}/data`, container: '/var/lib/registry' },
      { host: `${host}/etc`, container: inside, readOnly: true },
    ],
  });
  return {
    directories: [`${host}/data`, `${host}/etc`].map((path) => ({ path, mode: 0o700 })),
    files: [
      textFile(`${host}/etc/config.yml`, config, { mode: 0o600 }),
      ...certificateFiles(`${host}/etc`, certificate),
      ...(htpasswd ? [textFile(`${host}/etc/htpasswd`, htpasswd, { mode: 0o600 })] : []),
    ],
    units: [{ name: `${name}.service`, enabled: true, contents }],
  };
}

function certificateFiles(
  folder: string,
  certificate: ServerCertificate | undefined,
  owner: Partial<typeof OWNER> = {},
): FileEntry[] {
  if (!certificate) return [];
  return [
    textFile(`${folder}/tls.crt`, certificate.certificate, { mode: 0o644, ...owner }),
    textFile(`${folder}/tls.key`, certificate.key, { mode: 0o600, ...owner }),
  ];
}
