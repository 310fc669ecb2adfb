import { AtollError } from '../../core/errors.ts';
import { sortedUnique } from '../../core/order.ts';
import { squidConf } from '../units/squid-conf.ts';
import { SQUID_ID, squidContainer } from '../units/squid-unit.ts';
import { mountUnitName, unitFile } from '../units/unit-file.ts';
import { type AtollRegistry, atollPart, REGISTRY_PORT } from './bastion-atoll.ts';
import { type BastionCache, cachePart } from './bastion-cache.ts';
import { type DistributionRegistry, distributionPart } from './bastion-distribution.ts';
import type { ServerCertificate } from './certificate-files.ts';
import {
  DEFAULT_IGNITION_VERSION,
  type FileEntry,
  type IgnitionConfig,
  type IgnitionVersion,
  textFile,
  type UserEntry,
} from './config.ts';
import { type IgnitionPart, ignitionFrom } from './parts.ts';

/** The machine with a leg on both sides. Every field that is absent leaves that part out. */
export interface BastionInput {
  readonly version?: IgnitionVersion | undefined;
  readonly hostname?: string | undefined;
  readonly users: readonly UserEntry[];
  /** PEM of CAs the machine itself trusts, by a name for the file. */
  readonly trustedCas?: Readonly<Record<string, string>> | undefined;
  /** What registry, caches and the TLS port of the proxy show to clients. */
  readonly certificate?: ServerCertificate | undefined;
  readonly registry?: AtollRegistry | DistributionRegistry | undefined;
  readonly caches?: readonly BastionCache[] | undefined;
  readonly proxy?: BastionProxy | undefined;
  readonly dataDisk?: DataDisk | undefined;
  /** Units that never start; the updater of Fedora CoreOS, which reboots, unless others are named. */
  readonly masked?: readonly string[] | undefined;
  /** Whatever else the site wants: directories, links, files, units. */
  readonly extra?: IgnitionPart | undefined;
}

export interface DataDisk {
  /** Such as `/dev/nvme1n1`. What is on it stays, unless it is not a file system of this format. */
  readonly device: string;
  /** Where it is mounted; the content of the registries is below it. */
  readonly path?: string | undefined;
  readonly format?: 'xfs' | 'ext4' | undefined;
}

const DATA_PATH = '/var/lib/atoll';

/** The Ignition config of a bastion. */
export function bastionIgnition(input: BastionInput): IgnitionConfig {
  return ignitionFrom(input.version ?? DEFAULT_IGNITION_VERSION, [
    identityPart(input),
    trustPart(input.trustedCas ?? {}),
    { units: maskedUnits(input.masked ?? ['zincati.service']) },
    ...(input.dataDisk ? [diskPart(input.dataDisk)] : []),
    ...registryParts(input),
    ...(input.proxy ? [proxyPart(input.proxy, input.certificate)] : []),
    ...(input.extra ? [input.extra] : []),
  ]);
}

/** The registry of atoll offers the caches too; any other leaves them to containers. */
function registryParts({ registry, caches = [], certificate }: BastionInput): IgnitionPart[] {
  if (registry?.kind === 'atoll') return [atollPart(registry, caches, certificate)];
  const port = registry?.port ?? REGISTRY_PORT;
  return [
    ...(registry ? [distributionPart({ ...registry, port }, certificate)] : []),
    ...caches.map((cache) => cachePart(cache, certificate)),
  ];
}

function identityPart({ hostname, users }: BastionInput): IgnitionPart {
  if (hostname === undefined) return { users };
  if (!/^[a-zA-Z0-9](?:[a-zA-Z0-9.-]{0,62}[a-zA-Z0-9])?$/.test(hostname)) {
    throw new AtollError('INPUT_INVALID', `Cannot name a machine "${hostname}"`, {
      hint: 'Use letters, digits, dashes and dots, at most 64 of them',
    });
  }
  return { users, files: [textFile('/etc/hostname', `${hostname}\n`)] };
}

function trustPart(certificates: Readonly<Record<string, string>>): IgnitionPart {
  const files = Object.entries(certificates).map(([name, pem]) =>
    textFile(`/etc/pki/ca-trust/source/anchors/${name}.crt`, `${pem.trimEnd()}\n`),
  );
  return { files };
}

function maskedUnits(names: readonly string[]) {
  return sortedUnique(names).map((name) => ({ name, enabled: false, mask: true }));
}

function diskPart({ device, path = DATA_PATH, format = 'xfs' }: DataDisk): IgnitionPart {
  const contents = unitFile({
    Unit: [
      ['Description', `Data disk on ${path}`],
      ['Before', 'local-fs.target'],
    ],
    Mount: [
      ['Where', path],
      ['What', device],
      ['Type', format],
    ],
    Install: [['RequiredBy', 'local-fs.target']],
  });
  return {
    filesystems: [{ device, format, path, wipeFilesystem: false }],
    units: [{ name: mountUnitName(path), enabled: true, contents }],
  };
}

/** A squid on the bastion, for clusters that are private but not disconnected. */
interface BastionProxy {
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

function proxyPart(proxy: BastionProxy, certificate: ServerCertificate | undefined): IgnitionPart {
  const owner = { user: { id: SQUID_ID }, group: { id: SQUID_ID } };
  const secret = { mode: 0o600, ...owner };
  const { image } = proxy;
  const contents = squidContainer({ image, etc: `${HOST}/etc`, log: `${HOST}/log` });
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
