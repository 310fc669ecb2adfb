import { AtollError } from '../../core/errors.ts';
import { sortedUnique } from '../../core/order.ts';
import { parseCidr } from '../ip.ts';

export interface SquidInput {
  readonly port?: number | undefined;
  /** A second port that speaks TLS to its clients. */
  readonly tls?:
    | { readonly port: number; readonly certificate: string; readonly key: string }
    | undefined;
  /** Who may use it; nobody else is let in, credentials or not. */
  readonly clients: readonly string[];
  readonly auth?: { readonly htpasswd: string; readonly helper?: string | undefined } | undefined;
  /** Where it may lead, as `.example.com` or `host`; everywhere but the inside of the host unless named. */
  readonly destinations?: readonly string[] | undefined;
  /** Directory for logs and the PID file. */
  readonly logs?: string | undefined;
}

export const SQUID_PORT = 3128;
/** Where Fedora, RHEL and the images made from them keep it. */
export const NCSA_HELPER = '/usr/lib64/squid/basic_ncsa_auth';
const DOMAIN = /^\.?[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?$/;

/** A forward proxy that keeps nothing, hides nothing in transit, and never leads to the host's own secrets. */
export function squidConf(input: SquidInput): string {
  check(input);
  return `${[...listeners(input), '', ...rules(input), '', ...habits(input)].join('\n')}\n`;
}

function listeners({ port = SQUID_PORT, tls }: SquidInput): string[] {
  const secure = tls
    ? [`https_port ${tls.port} tls-cert=${tls.certificate} tls-key=${tls.key}`]
    : [];
  return [`http_port ${port}`, ...secure];
}

function rules({ clients, auth, destinations }: SquidInput): string[] {
  const may = ['clients', ...(auth ? ['known'] : []), ...(destinations ? ['wanted'] : [])];
  return [
    ...(auth ? authLines(auth) : []),
    `acl clients src ${sortedUnique(clients).join(' ')}`,
    // Names as they are asked for (-n): who has an address decides what its reverse lookup says.
    ...(destinations ? [`acl wanted dstdomain -n ${apart(destinations).join(' ')}`] : []),
    'acl web port 80 443 5000 6443 8443',
    // The metadata service gives out the credentials of the machine; 0.0.0.0 is the machine too.
    'acl inside dst 0.0.0.0/8 127.0.0.0/8 169.254.0.0/16 ::/127 fe80::/10 fd00:ec2::/32',
    'http_access deny manager',
    'http_access deny !web',
    'http_access deny inside',
    `http_access allow ${may.join(' ')}`,
    'http_access deny all',
  ];
}

/** Squid refuses to start with a name that a domain of the same list covers. */
function apart(destinations: readonly string[]): string[] {
  const names = sortedUnique(destinations.map((name) => name.toLowerCase()));
  const isCovered = (name: string) =>
    names.some(
      (domain) => domain.startsWith('.') && domain !== name && `.${name}`.endsWith(domain),
    );
  return names.filter((name) => !isCovered(name));
}

function authLines(auth: NonNullable<SquidInput['auth']>): string[] {
  return [
    `auth_param basic program ${auth.helper ?? NCSA_HELPER} ${auth.htpasswd}`,
    'auth_param basic realm proxy',
    'auth_param basic credentialsttl 2 hours',
    'acl known proxy_auth REQUIRED',
  ];
}

function habits({ logs = '/var/log/squid' }: SquidInput): string[] {
  return [
    'cache deny all',
    'forwarded_for delete',
    'shutdown_lifetime 5 seconds',
    `access_log stdio:${logs}/access.log`,
    `cache_log ${logs}/cache.log`,
    `pid_filename ${logs}/squid.pid`,
    `coredump_dir ${logs}`,
  ];
}

function check({ clients, destinations = [] }: SquidInput): void {
  const network = clients.find((client) => parseCidr(client) === undefined);
  if (clients.length === 0 || network !== undefined) {
    throw new AtollError('INPUT_INVALID', `Cannot let "${network ?? ''}" use the proxy`, {
      hint: 'Name the networks that may, such as "10.0.0.0/16"',
    });
  }
  const domain = destinations.find((destination) => !DOMAIN.test(destination));
  if (domain === undefined) return;
  throw new AtollError('INPUT_INVALID', `Cannot let the proxy lead to "${domain}"`, {
    hint: 'Name a host, or a domain with a dot in front',
  });
}
