import { webcrypto } from 'node:crypto';
import { loadX509 } from '../../../src/core/load-x509.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEAR_MS = 365 * 86_400_000;

export interface ClientAuthority {
  readonly pem: string;
  readonly client: (
    user: string,
    group: string,
    until: Date,
  ) => Promise<{ readonly cert: string; readonly key: string }>;
}

const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function keyText(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${bytes}\n-----END PRIVATE KEY-----\n`;
}

/** A CA for the client certificates of users. */
export async function makeClientAuthority(): Promise<ClientAuthority> {
  const x509 = await loadX509();
  x509.cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=clients',
    notBefore: new Date(Date.now() - YEAR_MS),
    notAfter: new Date(Date.now() + YEAR_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  return {
    pem: `${ca.toString('pem')}\n`,
    async client(user, group, until) {
      const own = await newKeys();
      const cert = await x509.X509CertificateGenerator.create({
        serialNumber: '02',
        subject: `CN=${user}, O=${group}`,
        issuer: ca.subject,
        notBefore: new Date(until.getTime() - YEAR_MS),
        notAfter: until,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
      });
      return { cert: `${cert.toString('pem')}\n`, key: await keyText(own.privateKey) };
    },
  };
}

/** What stands in the request of a kubelet. */
export interface RequestNames {
  readonly subject: string;
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  readonly email?: readonly string[];
}

/** A PKCS #10 request in PEM, signed by a new key. */
export async function certificateRequest({
  subject,
  dns,
  ip,
  email,
}: RequestNames): Promise<string> {
  const x509 = await loadX509();
  x509.cryptoProvider.set(webcrypto);
  const named = (type: 'dns' | 'ip' | 'email', values: readonly string[] = []) =>
    values.map((value) => ({ type, value }));
  const names = [...named('dns', dns), ...named('ip', ip), ...named('email', email)];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: await newKeys(),
    signingAlgorithm: ALGORITHM,
    extensions: names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : [],
  });
  return request.toString('pem');
}
