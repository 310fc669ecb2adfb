import { AtollError } from '../../core/errors.ts';
import { formatPullSecret, mergePullSecret } from '../pull-secret.ts';
import { registryConfig } from '../units/registry-config.ts';
import {
  REGISTRY_DEFAULTS,
  REGISTRY_UNIT,
  registryPathUnit,
  registryUnit,
} from '../units/registry-unit.ts';
import type { BastionCache } from './bastion-cache.ts';
import { certificateFiles, type ServerCertificate } from './certificate-files.ts';
import { type FileEntry, textFile, type UnitEntry } from './config.ts';
import type { IgnitionPart } from './parts.ts';

/** The registry of atoll itself, as a service. */
export interface AtollRegistry {
  readonly kind: 'atoll';
  readonly port?: number | undefined;
  /** Lines of its htpasswd file, with bcrypt hashes; without it everybody may do everything. */
  readonly htpasswd?: string | undefined;
  /** A configuration file to use as it is; made from the rest when absent. */
  readonly config?: string | undefined;
  /** Where Ignition fetches the program; without it the service starts once it is copied there. */
  readonly program?: { readonly source: string; readonly hash: string } | undefined;
}

export const REGISTRY_PORT = 5000;
const { user, data, config, program } = REGISTRY_DEFAULTS;
const FOLDER = config.slice(0, config.lastIndexOf('/'));
const UPSTREAM_AUTH = `${FOLDER}/upstream-auth.json`;
const OWNER = { user: { name: user }, group: { name: user } };
const SECRET = { mode: 0o600, ...OWNER };

/** One process serves the mirror and, on ports of their own, the pull-through caches. */
export function atollPart(
  registry: AtollRegistry,
  caches: readonly BastionCache[],
  certificate: ServerCertificate | undefined,
): IgnitionPart {
  const logins = loginsOf(caches);
  return {
    // useradd makes the group of the same name; naming it here would make useradd fail.
    users: [{ name: user, system: true, noCreateHome: true, shell: '/usr/sbin/nologin' }],
    directories: [
      { path: FOLDER, mode: 0o750, ...OWNER },
      { path: data, mode: 0o750, ...OWNER },
    ],
    files: [
      textFile(config, registry.config ?? configText(registry, caches, certificate), SECRET),
      ...certificateFiles(FOLDER, certificate, OWNER),
      ...(registry.htpasswd ? [textFile(`${FOLDER}/htpasswd`, registry.htpasswd, SECRET)] : []),
      ...(logins ? [textFile(UPSTREAM_AUTH, `${logins}\n`, SECRET)] : []),
      ...(registry.program ? [programFile(registry.program)] : []),
    ],
    units: unitsOf(registry, logins !== undefined),
  };
}

function configText(
  registry: AtollRegistry,
  caches: readonly BastionCache[],
  certificate: ServerCertificate | undefined,
): string {
  return registryConfig({
    data: `${data}/data`,
    listeners: [
      { port: registry.port ?? REGISTRY_PORT },
      ...caches.map(({ port, url }) => ({ port, upstream: hostOfUrl(url) })),
    ],
    ...(certificate ? { tls: { certificate: `${FOLDER}/tls.crt`, key: `${FOLDER}/tls.key` } } : {}),
    ...(registry.htpasswd ? { htpasswd: `${FOLDER}/htpasswd` } : {}),
    accessLog: `${data}/access.log`,
  });
}

function hostOfUrl(url: string): string {
  const host = /^https:\/\/([^/\s@%]+)\/?$/.exec(url)?.[1];
  if (host !== undefined) return host;
  throw new AtollError('INPUT_INVALID', `Cannot cache "${url.replace(/\/\/.*@/, '//…@')}"`, {
    hint: 'Give the https URL of a registry without a path, such as "https://quay.io"',
  });
}

function loginsOf(caches: readonly BastionCache[]): string | undefined {
  const add = caches.flatMap(({ url, username, password }) =>
    username === undefined || password === undefined
      ? []
      : [{ registry: hostOfUrl(url), username, password }],
  );
  return add.length > 0 ? formatPullSecret(mergePullSecret({ add })) : undefined;
}

function unitsOf(registry: AtollRegistry, hasLogins: boolean): UnitEntry[] {
  const contents = registryUnit({
    lowestPort: registry.port,
    ...(hasLogins ? { upstreamAuth: UPSTREAM_AUTH } : {}),
  });
  if (registry.program) return [{ name: REGISTRY_UNIT, enabled: true, contents }];
  return [
    { name: REGISTRY_UNIT, contents },
    { name: 'atoll-registry.path', enabled: true, contents: registryPathUnit() },
  ];
}

function programFile({ source, hash }: { source: string; hash: string }): FileEntry {
  if (!/^(?:sha512-[0-9a-f]{128}|sha256-[0-9a-f]{64})$/.test(hash)) {
    throw new AtollError('INPUT_INVALID', `Cannot fetch the program from "${source}": bad hash`, {
      hint: 'Give its hash as "sha256-" or "sha512-" and the hex digits',
    });
  }
  return {
    path: program,
    overwrite: true,
    mode: 0o755,
    contents: { source, verification: { hash } },
  };
}
