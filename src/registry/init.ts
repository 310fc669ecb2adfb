import { rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import {
  exists,
  makeFolder,
  SECRET_DIRECTORY_MODE,
  SECRET_MODE,
  writeFileAtomic,
} from '../core/files.ts';
import { toYaml } from '../core/yaml.ts';
import { generatePassword } from './auth/passwords.ts';
import { ensureTokens } from './auth/robots.ts';
import { addUser } from './auth/users.ts';
import { CONFIG_NAME } from './config-file.ts';
import { type CertificatePaths, loadCertificate } from './tls/certificate-file.ts';
import { CA_DAYS, createCa, createServerCertificate, SERVER_DAYS } from './tls/certificates.ts';

// What `init` makes:
//
//   <directory>/              0700
//   ├── config.yaml
//   ├── htpasswd, grants.yaml 0600
//   ├── tokens.json           0600
//   ├── tls/ca.crt            to be trusted by clients; absent with a certificate of one's own
//   ├── tls/ca.key            0600, needed by `renew` only
//   ├── tls/server.crt, tls/server.key
//   └── data/                 the store

export interface InitOptions {
  readonly directory: string;
  /** Names and addresses clients use; the first is the one shown. */
  readonly hosts: readonly string[];
  readonly port: number;
  readonly user: string;
  /** Generated when absent. */
  readonly password?: string | undefined;
  /** Address it listens at; all of them unless it says otherwise. */
  readonly listen?: string | undefined;
  /** A certificate the site already has. */
  readonly certificate?: CertificatePaths | undefined;
}

export interface InitResult {
  readonly config: string;
  /** Undefined when the site has its own CA. */
  readonly ca: string | undefined;
  readonly host: string;
  readonly user: string;
  readonly password: string;
  readonly expiresAt: Date;
}

export async function initRegistry(ctx: Context, options: InitOptions): Promise<InitResult> {
  const { directory, user } = options;
  const config = join(directory, CONFIG_NAME);
  if (await exists(config)) throw alreadyThere(config);
  options.hosts.forEach(checkHost);
  await makeFolder(join(directory, 'tls'), SECRET_DIRECTORY_MODE);

  const tls = serverPaths(directory);
  if (options.certificate) await adopt(options.certificate, tls);
  else await createAll(ctx, directory, options.hosts);
  const password = options.password ?? generatePassword();
  const paths = {
    htpasswd: join(directory, 'htpasswd'),
    grants: join(directory, 'grants.yaml'),
  };
  // Without a config nobody has served these yet: an earlier try was cut off here.
  await Promise.all([rm(paths.htpasswd, { force: true }), rm(paths.grants, { force: true })]);
  await addUser(ctx, paths, { name: user, password, grants: [{ role: 'delete', prefix: '' }] });
  // Now: a service may write to its store alone.
  await ensureTokens(ctx, join(directory, 'tokens.json'));
  // Last: where it is, the rest is too.
  await writeFileAtomic(config, configText(options), { mode: SECRET_MODE });
  const { expiresAt } = await loadCertificate(tls);
  return {
    config,
    ca: options.certificate ? undefined : join(directory, 'tls', 'ca.crt'),
    host: `${shown(options.hosts[0] ?? 'localhost')}:${options.port}`,
    user,
    password,
    expiresAt,
  };
}

const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

export function checkHost(host: string): void {
  if (isIP(host) !== 0 || (HOST.test(host) && host.length <= 253)) return;
  throw new AtollError('INPUT_INVALID', `Cannot use "${host}" as the name of a host`, {
    hint: 'Give names and addresses without a port, such as mirror.example.com,10.0.0.5',
  });
}

const shown = (host: string) => (isIP(host) === 6 ? `[${host}]` : host);

export function serverPaths(directory: string): CertificatePaths {
  const tls = join(directory, 'tls');
  return { certificate: join(tls, 'server.crt'), key: join(tls, 'server.key') };
}

export function caPaths(directory: string): CertificatePaths {
  const tls = join(directory, 'tls');
  return { certificate: join(tls, 'ca.crt'), key: join(tls, 'ca.key') };
}

async function createAll(ctx: Context, directory: string, hosts: readonly string[]): Promise<void> {
  const now = ctx.now();
  const name = `atoll registry CA ${now.toISOString().slice(0, 10)}`;
  const ca = await createCa(name, { now, days: CA_DAYS });
  const paths = caPaths(directory);
  await writeFileAtomic(paths.key, ca.key, { mode: SECRET_MODE });
  await writeFileAtomic(paths.certificate, ca.certificate, { mode: 0o644 });
  const server = await createServerCertificate(ca, hosts, { now, days: SERVER_DAYS });
  const target = serverPaths(directory);
  await writeFileAtomic(target.key, server.key, { mode: SECRET_MODE });
  await writeFileAtomic(target.certificate, server.certificate, { mode: 0o644 });
}

async function adopt(from: CertificatePaths, to: CertificatePaths): Promise<void> {
  const { cert, key } = await loadCertificate(from);
  await writeFileAtomic(to.key, key, { mode: SECRET_MODE });
  await writeFileAtomic(to.certificate, cert, { mode: 0o644 });
}

/** All addresses of the machine: those of IPv4 alone where nobody will ask by another, as IPv6 may be switched off. */
const everywhere = (hosts: readonly string[]): string =>
  hosts.some((host) => isIP(host) === 6) ? '::' : '0.0.0.0';

function configText({ hosts, listen = everywhere(hosts), port }: InitOptions): string {
  const head =
    '# Registry of atoll. Paths are relative to this file.\n' +
    '# A listener may name an "upstream" (a registry host) instead of serving the store.\n';
  const config = {
    storage: { path: 'data' },
    listeners: [
      {
        address: `${shown(listen)}:${port}`,
        tls: { certificate: 'tls/server.crt', key: 'tls/server.key' },
      },
    ],
    auth: {
      htpasswd: 'htpasswd',
      grants: 'grants.yaml',
      tokens: 'tokens.json',
      anonymousPull: false,
    },
    accessLog: 'access.log',
    readOnly: false,
    upkeep: { gc: '24h', scrub: '7d' },
  };
  return head + toYaml(config);
}

function alreadyThere(path: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot make a registry: "${path}" exists`, {
    hint: 'Serve it with "atoll registry serve", or choose another folder with --dir',
    details: { path },
  });
}
