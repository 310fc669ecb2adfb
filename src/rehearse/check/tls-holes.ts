import type { X509Certificate } from 'node:crypto';
import { hostNameOf } from '../../oci/registries/location.ts';
import type { NodeConfig } from '../node/node-config.ts';
import { type Hole, makeHole } from './hole.ts';

/** How long before its end a certificate is warned of. */
export const EXPIRY_WARNING_DAYS = 30;

// Holes on the way to one registry: they stop every image that would come from it.

export function untrusted(config: NodeConfig, host: string, shown?: X509Certificate): Hole {
  const issuer = shown ? ` It was issued by "${shown.issuer.replaceAll('\n', ', ')}".` : '';
  const evidence = `x509: certificate signed by unknown authority.${issuer}`;
  const values = { host, trust: config.origins.trust };
  return makeHole('certificate-untrusted', values, { key: host, evidence });
}

/** The CA is known, and may not sign this certificate, or not like this. */
export function unfit(host: string, chainError: string): Hole {
  const named = chainError.toLowerCase().replaceAll('_', ' ');
  // Node has no word for the rarer ones.
  const limits = 'a limit of its CA, such as name constraints, or a weak signature';
  const evidence = `x509: ${chainError === 'UNSPECIFIED' ? limits : named}`;
  return makeHole('certificate-unfit', { host, name: bareName(host) }, { key: host, evidence });
}

const bareName = (host: string) => hostNameOf(host).replace(/^\[|\]$/g, '');

export function wrongName(config: NodeConfig, host: string, shown?: X509Certificate): Hole {
  const name = bareName(host);
  const listed = namesOf(shown);
  // A name that only looks like the address does not count.
  const evidence = listed.includes(name)
    ? `x509: certificate lists "${name}" as a name, not as an address`
    : `x509: certificate is valid for ${listed.join(', ') || 'no name at all'}, not ${name}`;
  const rules = config.origins.rules.join(', ') || 'Mirror rules';
  const names = [...new Set([name, ...listed])].join(',');
  return makeHole('certificate-name', { host, rules, name, names }, { key: host, evidence });
}

/** `DNS:a, IP Address:b` to names alone. */
function namesOf(shown: X509Certificate | undefined): string[] {
  return (shown?.subjectAltName ?? '')
    .split(',')
    .map((entry) => entry.trim().replace(/^(DNS|IP Address):/, ''))
    .filter((entry) => entry !== '');
}

export const expired = (host: string, evidence: string): Hole =>
  makeHole('certificate-expired', { host }, { key: host, evidence });

export function expiring(host: string, whose: string, validTo: Date): Hole {
  const evidence = `not after ${validTo.toISOString()}`;
  const values = { host, whose, days: String(EXPIRY_WARNING_DAYS) };
  return makeHole('certificate-expiring', values, { key: host, evidence });
}

export const notVerified = (host: string, rule: string): Hole =>
  makeHole('tls-not-verified', { host }, { key: host, rule, evidence: 'insecure = true' });

export const notTls = (host: string, evidence: string): Hole =>
  makeHole('tls-not-spoken', { host, name: hostNameOf(host) }, { key: host, evidence });

export function unresolved(config: NodeConfig, host: string): Hole {
  const name = hostNameOf(host);
  const rule = config.dns
    ? `${name} must be in ${config.origins.hosts} or in the DNS of the nodes`
    : `${name} must be in ${config.origins.hosts}, because DNS is left out`;
  const evidence = `lookup ${name}: no such host`;
  return makeHole('name-unresolved', { name }, { key: host, rule, evidence });
}

export const unreachable = (host: string, evidence: string): Hole =>
  makeHole('mirror-unreachable', { host }, { key: host, evidence });

export function onLoopback(host: string, rule: string): Hole {
  const evidence = 'a name or address of the loopback device';
  return makeHole('mirror-on-loopback', { host }, { key: host, rule, evidence });
}
