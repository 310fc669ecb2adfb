import * as z from 'zod';
import { loadX509 } from '../../core/load-x509.ts';
import { conditionsOf, type KubeObject } from '../api/object.ts';

const requestSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    request: z.string(),
    signerName: z.string().default(''),
    username: z.string().default(''),
    groups: z.array(z.string()).default([]),
    usages: z.array(z.string()).default([]),
  }),
});

/** A certificate signing request: who asks, for what, and what would be signed. */
export interface CertificateRequest {
  readonly name: string;
  readonly signer: string;
  readonly username: string;
  readonly groups: readonly string[];
  readonly usages: readonly string[];
  readonly subject: {
    readonly commonNames: readonly string[];
    readonly organizations: readonly string[];
    /** Parts of the subject that are neither. */
    readonly others: readonly string[];
  };
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  /** Names of other kinds: mail, URI, … */
  readonly otherNames: readonly string[];
}

export type RequestState = 'pending' | 'approved' | 'denied' | 'failed';

export function stateOf(object: KubeObject): RequestState {
  const types = conditionsOf(object).map(({ type }) => type);
  if (types.includes('Denied')) return 'denied';
  if (types.includes('Failed')) return 'failed';
  return types.includes('Approved') ? 'approved' : 'pending';
}

/** Reads a request with what is inside its PKCS #10; undefined when it holds none that can be read. */
export async function readCertificateRequest(
  object: KubeObject,
): Promise<CertificateRequest | undefined> {
  const { metadata, spec } = requestSchema.parse(object);
  const inside = await readPkcs10(Buffer.from(spec.request, 'base64').toString('latin1'));
  if (!inside) return undefined;
  const { request: _request, signerName: signer, ...who } = spec;
  return { name: metadata.name, signer, ...who, ...inside };
}

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';

async function readPkcs10(pem: string) {
  const x509 = await loadX509();
  try {
    const request = new x509.Pkcs10CertificateRequest(pem);
    // The signature proves that the client has the private key of the certificate.
    if (!(await request.verify())) return undefined;
    const parts = request.subjectName
      .toJSON()
      .flatMap((part) =>
        Object.entries(part).flatMap(([key, all]) => all.map((one) => [key, one])),
      );
    const of = (wanted: string) =>
      parts.flatMap(([key, value = '']) => (key === wanted ? value : []));
    const extension = request.getExtension(SUBJECT_ALTERNATIVE_NAME);
    const names = extension
      ? new x509.SubjectAlternativeNameExtension(extension.rawData).names.items
      : [];
    const named = (type: string) => names.flatMap((one) => (one.type === type ? one.value : []));
    return {
      subject: {
        commonNames: of('CN'),
        organizations: of('O'),
        others: parts.flatMap(([key, value]) =>
          key === 'CN' || key === 'O' ? [] : `${key}=${value}`,
        ),
      },
      dnsNames: named('dns'),
      addresses: named('ip'),
      otherNames: names.flatMap(({ type, value }) =>
        type === 'dns' || type === 'ip' ? [] : `${type}:${value}`,
      ),
    };
  } catch {
    return undefined;
  }
}
