import { X509Certificate } from 'node:crypto';

export interface CertificateSummary {
  readonly path: string;
  readonly subject: string;
  readonly issuer: string;
  readonly notBefore: string;
  readonly notAfter: string;
  readonly ca: boolean;
  readonly state: 'valid' | 'expired' | 'not yet valid' | 'ends soon';
}

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const SOON_MS = 30 * 86_400_000;

/** The certificates in a text: PEM as it is, or base64 again as in kubeconfigs and Secrets. */
export function certificatesIn(path: string, text: string, now: Date): CertificateSummary[] {
  const encoded = [...text.matchAll(/\bLS0tLS1CRUdJTi[A-Za-z0-9+/=]+/g)].map(([base64]) =>
    Buffer.from(base64, 'base64').toString('utf8'),
  );
  // Inside JSON and YAML strings the line ends are escaped.
  return [text, ...encoded]
    .flatMap((one) => one.replaceAll('\\n', '\n').match(PEM) ?? [])
    .map((pem) => summaryOf(path, pem, now))
    .filter((summary) => summary !== undefined);
}

function summaryOf(path: string, pem: string, now: Date): CertificateSummary | undefined {
  try {
    const certificate = new X509Certificate(pem);
    const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
    return {
      path,
      subject: oneLine(certificate.subject),
      issuer: oneLine(certificate.issuer),
      notBefore: from.toISOString(),
      notAfter: to.toISOString(),
      ca: certificate.ca,
      state: stateAt(from, to, now),
    };
  } catch {
    return undefined;
  }
}

function stateAt(from: Date, to: Date, now: Date): CertificateSummary['state'] {
  if (now > to) return 'expired';
  if (now < from) return 'not yet valid';
  return to.getTime() - now.getTime() < SOON_MS ? 'ends soon' : 'valid';
}

const oneLine = (name: string): string => name.split('\n').join(', ');
