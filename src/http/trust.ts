import { rootCertificates } from 'node:tls';
import { AtollError } from '../core/errors.ts';
import { readText, readTextIfPresent } from '../core/files.ts';
import type { HttpOptions } from './options.ts';

/** Where Linux distributions keep the roots of the machine, private ones included. */
const SYSTEM_BUNDLES = [
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/** PEM texts of everything trusted for all hosts: the machine's roots and `--ca`. */
export async function loadTrust(options: HttpOptions): Promise<readonly string[]> {
  const env = options.env ?? process.env;
  const extra = [
    ...(env.NODE_EXTRA_CA_CERTS ? [env.NODE_EXTRA_CA_CERTS] : []),
    ...(options.ca ?? []),
  ];
  const named = await Promise.all(extra.map(readCertificates));
  return [...(await systemRoots(env.SSL_CERT_FILE)), ...named];
}

async function readCertificates(path: string): Promise<string> {
  const text = await readText(path);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new AtollError('INPUT_INVALID', `Cannot trust "${path}": it holds no certificate`, {
    hint: 'Give a PEM file with the certificate of the CA, such as ca.crt',
    details: { path },
  });
}

async function systemRoots(named: string | undefined): Promise<readonly string[]> {
  if (named) return [await readText(named)];
  for (const path of SYSTEM_BUNDLES) {
    const text = await readTextIfPresent(path);
    if (text !== undefined) return [text];
  }
  return rootCertificates;
}
