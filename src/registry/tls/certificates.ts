import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { JsonGeneralName, X509Certificate } from '@peculiar/x509';
import { loadX509 } from '../../core/load-x509.ts';

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly now: Date;
  readonly days: number;
}

export const CA_DAYS = 3650;
export const SERVER_DAYS = 730;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Clocks of machines that are just being installed are often a little behind. */
const BACKDATED_MS = 3_600_000;

/** A private CA. Whoever trusts it trusts the certificates it signs, and nothing else. */
export async function createCa(name: string, validity: Validity): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}`,
    ...period(validity),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: pem(certificate), key: await exportKey(keys.privateKey) };
}

/** A server's certificate for these names and addresses, signed by the CA. */
export async function createServerCertificate(
  ca: KeyPair,
  hosts: readonly string[],
  validity: Validity,
): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const issuer = new x509.X509Certificate(ca.certificate);
  const end = new Date(Math.min(period(validity).notAfter.getTime(), issuer.notAfter.getTime()));
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${commonName(hosts[0] ?? 'registry')}`,
    issuer: issuer.subject,
    notBefore: period(validity).notBefore,
    notAfter: end,
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.key),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map(alternativeName)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { certificate: pem(certificate), key: await exportKey(keys.privateKey) };
}

function alternativeName(host: string): JsonGeneralName {
  return { type: isIP(host) === 0 ? 'dns' : 'ip', value: host };
}

/** The field is a relic of 64 characters at most; clients look at the alternative names. */
function commonName(host: string): string {
  return host.length <= 64 ? host : 'registry';
}

function period({ now, days }: Validity): { notBefore: Date; notAfter: Date } {
  const start = Math.floor((now.getTime() - BACKDATED_MS) / 1000) * 1000;
  return { notBefore: new Date(start), notAfter: new Date(start + days * DAY_MS + BACKDATED_MS) };
}

/** Positive and without a leading zero byte, as DER wants it. */
function serialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

const generateKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const pem = (certificate: X509Certificate) => `${certificate.toString('pem')}\n`;

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const x509 = await loadX509();
  const der = await crypto.subtle.exportKey('pkcs8', key);
  return `${x509.PemConverter.encode(der, 'PRIVATE KEY')}\n`;
}

async function importKey(text: string): Promise<webcrypto.CryptoKey> {
  const x509 = await loadX509();
  const der = x509.PemConverter.decodeFirst(text);
  return await crypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}
