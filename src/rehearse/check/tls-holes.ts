import type { X509Certificate } from 'node:crypto';
import { hostNameOf } from '../../oci/registries/location.ts';
import type { NodeConfig } from '../node/node-config.ts';
import type { Hole } from './hole.ts';

/** How long before its end a certificate is warned of. */
export const EXPIRY_WARNING_DAYS = 30;

/** Holes on the way to one registry: they stop every image that would come from it. */
type HostHole = Pick<Hole, 'cause' | 'title' | 'rule' | 'commands' | 'evidence'> &
  Partial<Pick<Hole, 'severity'>>;

function hostHole(host: string, hole: HostHole): Hole {
  return { severity: 'hole', key: host, ...hole };
}

export function untrusted(config: NodeConfig, host: string, shown?: X509Certificate): Hole {
  const issuer = shown ? ` It was issued by "${oneLine(shown.issuer)}".` : '';
  return hostHole(host, {
    cause: 'certificate-untrusted',
    title: `Nodes do not trust the certificate of ${host}`,
    rule: `${config.origins.trust} must hold the CA that signed the certificate of ${host}`,
    evidence: `x509: certificate signed by unknown authority.${issuer}`,
    commands: [
      'atoll render install-config --trust-bundle REGISTRY_FOLDER/tls/ca.crt OTHER_FLAGS --to install-config.yaml',
    ],
  });
}

/** The CA is known, and may not sign this certificate, or not like this. */
export function unfit(host: string, chainError: string): Hole {
  const named = chainError.toLowerCase().replaceAll('_', ' ');
  // Node has no word for the rarer ones.
  const limits = 'a limit of its CA, such as name constraints, or a weak signature';
  return hostHole(host, {
    cause: 'certificate-untrusted',
    title: `Nodes refuse the certificate of ${host}`,
    rule: 'It must be a server certificate for this name, signed with SHA-256 by a CA that may sign it',
    evidence: `x509: ${chainError === 'UNSPECIFIED' ? limits : named}`,
    commands: [`atoll registry renew --dir REGISTRY_FOLDER --host ${bareName(host)}`],
  });
}

const bareName = (host: string) => hostNameOf(host).replace(/^\[|\]$/g, '');

export function wrongName(config: NodeConfig, host: string, shown?: X509Certificate): Hole {
  const name = bareName(host);
  const names = namesOf(shown);
  // A name that only looks like the address does not count.
  const evidence = names.includes(name)
    ? `x509: certificate lists "${name}" as a name, not as an address`
    : `x509: certificate is valid for ${names.join(', ') || 'no name at all'}, not ${name}`;
  return hostHole(host, {
    cause: 'certificate-name',
    title: `The certificate of ${host} is not for this name`,
    rule: `${config.origins.rules.join(', ') || 'Mirror rules'} name ${host}, so its certificate must list "${name}"`,
    evidence,
    commands: [
      `atoll registry renew --dir REGISTRY_FOLDER --host ${[...new Set([name, ...names])].join(',')}`,
    ],
  });
}

/** `DNS:a, IP Address:b` to names alone. */
function namesOf(shown: X509Certificate | undefined): string[] {
  return (shown?.subjectAltName ?? '')
    .split(',')
    .map((entry) => entry.trim().replace(/^(DNS|IP Address):/, ''))
    .filter((entry) => entry !== '');
}

export function expired(host: string, evidence: string): Hole {
  return hostHole(host, {
    cause: 'certificate-expired',
    title: `The certificate of ${host} is not valid now`,
    rule: `Nodes compare it with their own clock: it must be valid from the first boot on`,
    evidence,
    commands: ['atoll registry renew --dir REGISTRY_FOLDER'],
  });
}

export function expiring(host: string, whose: string, validTo: Date): Hole {
  return hostHole(host, {
    cause: 'certificate-expiring',
    severity: 'warning',
    title: `${whose} of ${host} ends within ${EXPIRY_WARNING_DAYS} days`,
    rule: `It must outlive the install; nodes that join or restart later need it, too`,
    evidence: `not after ${validTo.toISOString()}`,
    commands: ['atoll registry renew --dir REGISTRY_FOLDER'],
  });
}

export function notVerified(host: string, rule: string): Hole {
  return hostHole(host, {
    cause: 'tls-not-verified',
    severity: 'warning',
    title: `Nodes take any certificate from ${host}, or none at all`,
    rule,
    evidence: 'insecure = true',
    commands: ['atoll render registries-conf --rules-from MIRROR_SETS --to registries.conf'],
  });
}

export function notTls(host: string, evidence: string): Hole {
  return hostHole(host, {
    cause: 'tls-not-spoken',
    title: `${host} speaks plain HTTP, and nodes want TLS`,
    rule: `No rule says that ${host} is insecure, which is right: give it a certificate`,
    evidence,
    commands: [`atoll registry init --host ${hostNameOf(host)}`],
  });
}

export function unresolved(config: NodeConfig, host: string): Hole {
  const name = hostNameOf(host);
  return hostHole(host, {
    cause: 'name-unresolved',
    title: `Nodes cannot resolve ${name}`,
    rule: config.dns
      ? `${name} must be in ${config.origins.hosts} or in the DNS of the nodes`
      : `${name} must be in ${config.origins.hosts}, because DNS is left out`,
    evidence: `lookup ${name}: no such host`,
    commands: [`atoll render hosts --host ADDRESS=${name} --to hosts`],
  });
}

export function unreachable(host: string, evidence: string): Hole {
  return hostHole(host, {
    cause: 'mirror-unreachable',
    title: `${host} does not answer`,
    rule: 'Nodes must have a route to the mirror, and the mirror must run before they boot',
    evidence,
    commands: ['atoll registry serve --dir REGISTRY_FOLDER'],
  });
}

export function onLoopback(host: string, rule: string): Hole {
  return hostHole(host, {
    cause: 'mirror-on-loopback',
    severity: 'warning',
    title: `${host} is another machine on every node: each its own`,
    rule,
    evidence: 'a name or address of the loopback device',
    commands: ['atoll render mirror-sets --mirror NAME_OF_THE_MIRROR:PORT'],
  });
}

const oneLine = (name: string) => name.replaceAll('\n', ', ');
