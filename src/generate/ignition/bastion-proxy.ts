import { AtollError } from '../../core/errors.ts';
import { podmanUnit } from '../units/podman-unit.ts';
import { squidConf } from '../units/squid-conf.ts';
import type { ServerCertificate } from './certificate-files.ts';
import { type FileEntry, textFile } from './config.ts';
import type { IgnitionPart } from './parts.ts';

/** A squid on the bastion, for clusters that are private but not disconnected. */
export interface BastionProxy {
  /** An image with squid as its program. */
  readonly image: string;
  readonly clients: readonly string[];
  readonly port?: number | undefined;
  /** A second port that speaks TLS; needs the certificate of the bastion. */
  readonly tlsPort?: number | undefined;
  readonly htpasswd?: string | undefined;
  readonly helper?: string | undefined;
  readonly destinations?: readonly string[] | undefined;
}

const HOST = '/var/lib/atoll/squid';
const INSIDE = '/etc/squid';
/** User and group `squid` in the images of Fedora and RHEL. */
const SQUID_ID = 23;

export function proxyPart(
  proxy: BastionProxy,
  certificate: ServerCertificate | undefined,
): IgnitionPart {
  const owner = { user: { id: SQUID_ID }, group: { id: SQUID_ID } };
  const secret = { mode: 0o600, ...owner };
  const contents = podmanUnit({
    name: 'squid',
    description: 'Proxy for the installation',
    image: proxy.image,
    user: `${SQUID_ID}:${SQUID_ID}`,
    command: ['squid', '--foreground', '-f', `${INSIDE}/squid.conf`],
    volumes: [
      { host: `${HOST}/etc`, container: INSIDE, readOnly: true },
      { host: `${HOST}/log`, container: '/var/log/squid' },
    ],
  });
  return {
    directories: [`${HOST}/etc`, `${HOST}/log`].map((path) => ({ path, mode: 0o750, ...owner })),
    files: [
      textFile(`${HOST}/etc/squid.conf`, squidConf(squidInput(proxy)), { mode: 0o640, ...owner }),
      ...(proxy.htpasswd ? [textFile(`${HOST}/etc/htpasswd`, proxy.htpasswd, secret)] : []),
      ...(proxy.tlsPort === undefined ? [] : tlsFiles(certificate, secret)),
    ],
    units: [{ name: 'squid.service', enabled: true, contents }],
  };
}

function squidInput(proxy: BastionProxy): Parameters<typeof squidConf>[0] {
  const { clients, port, helper, destinations, tlsPort } = proxy;
  return {
    clients,
    port,
    destinations,
    ...(proxy.htpasswd ? { auth: { htpasswd: `${INSIDE}/htpasswd`, helper } } : {}),
    ...(tlsPort === undefined
      ? {}
      : { tls: { port: tlsPort, certificate: `${INSIDE}/tls.crt`, key: `${INSIDE}/tls.key` } }),
  };
}

function tlsFiles(
  certificate: ServerCertificate | undefined,
  secret: Parameters<typeof textFile>[2],
): FileEntry[] {
  if (!certificate) {
    throw new AtollError('INPUT_INVALID', 'Cannot offer the proxy over TLS: no certificate', {
      hint: 'Give the server certificate and key of the bastion, or leave the TLS port out',
    });
  }
  return [
    textFile(`${HOST}/etc/tls.crt`, certificate.certificate, secret),
    textFile(`${HOST}/etc/tls.key`, certificate.key, secret),
  ];
}
