import { X509Certificate } from 'node:crypto';
import { parseAddress } from '../ip.ts';

/** A block starts where a line does, as for every reader of PEM. */
const BLOCK = /^-----BEGIN (?<label>[A-Z0-9 ]+)-----[\s\S]*?-----END \k<label>-----[ \t]*\r?\n?/gm;

/** A PEM bundle taken apart. `rest` is what follows the last block; before one may stand anything. */
export interface PemBundle {
  readonly certificates: readonly X509Certificate[];
  /** Blocks that are something else, or no certificate at all, by position from 1. */
  readonly broken: readonly number[];
  readonly rest: string;
}

export function readPemBundle(text: string): PemBundle {
  const found = [...text.matchAll(BLOCK)];
  const blocks = found.map(([block]) => block);
  const last = found.at(-1);
  const parsed = blocks.map(parseBlock);
  return {
    certificates: parsed.filter((one) => one !== undefined),
    broken: parsed.flatMap((one, index) => (one ? [] : [index + 1])),
    rest: last ? text.slice(last.index + last[0].length) : text,
  };
}

function parseBlock(block: string): X509Certificate | undefined {
  if (!block.startsWith('-----BEGIN CERTIFICATE-----')) return undefined;
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

/** How many certificates may stand between a server and a root. */
const MAX_DEPTH = 8;

/** Whether a chain leads from what a server shows to a certificate of the bundle. */
export function isSignedBy(
  shown: readonly X509Certificate[],
  bundle: readonly X509Certificate[],
): boolean {
  let [current] = shown;
  for (let depth = 0; current !== undefined && depth < MAX_DEPTH; depth += 1) {
    const here = current;
    if (bundle.some((one) => one.fingerprint256 === here.fingerprint256)) return true;
    if (bundle.some((one) => one.ca && hasIssued(one, here))) return true;
    current = shown.find((one) => one !== here && one.ca && hasIssued(one, here));
  }
  return false;
}

function hasIssued(issuer: X509Certificate, subject: X509Certificate): boolean {
  return subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
}

/** Whether a certificate is for this name or address, as in Go: no common name, no `mir*.example`. */
export function isFor(certificate: X509Certificate, host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  if (parseAddress(name)) return certificate.checkIP(name) !== undefined;
  return certificate.checkHost(name, { subject: 'never', partialWildcards: false }) !== undefined;
}
