import { createPrivateKey, X509Certificate } from 'node:crypto';
import { AtollError, messageOf } from '../../core/errors.ts';
import { readBytes } from '../../core/files.ts';

export interface CertificatePaths {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate with its chain and its key, known to belong together. */
export interface LoadedCertificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly expiresAt: Date;
  /** Names and addresses it is for. */
  readonly hosts: readonly string[];
}

export async function loadCertificate(paths: CertificatePaths): Promise<LoadedCertificate> {
  const cert = await readBytes(paths.certificate);
  const key = await readBytes(paths.key);
  const certificate = parse(paths.certificate, () => new X509Certificate(cert));
  const privateKey = parse(paths.key, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw invalid(paths.key, `it is not the key of "${paths.certificate}"`);
  }
  return {
    cert,
    key,
    expiresAt: new Date(certificate.validTo),
    hosts: hostsOf(certificate.subjectAltName),
  };
}

function parse<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause);
  }
}

function hostsOf(names: string | undefined): string[] {
  return (names ?? '')
    .split(', ')
    .flatMap((name) => /^(?:DNS|IP Address):(?<host>.+)$/.exec(name)?.groups?.host ?? []);
}

function invalid(path: string, found: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use "${path}": ${found}`, {
    hint: 'Give PEM files: the certificate with its chain, and its private key',
    details: { path },
    cause,
  });
}
