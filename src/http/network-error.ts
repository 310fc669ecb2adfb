import type { ErrorCode } from '../core/error-codes.ts';
import { AtollError, messageOf, systemCodeOf } from '../core/errors.ts';
import { redact } from '../core/redact.ts';
import { ProtocolError } from './response-head.ts';
import { ProxyError } from './tunnel.ts';

/** The certificate is not signed by a trusted CA. */
export const ISSUER_UNKNOWN: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
]);
const UNTRUSTED = new Set([
  ...ISSUER_UNKNOWN,
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'CERT_CHAIN_TOO_LONG',
  'CERT_REVOKED',
]);
const EXPIRED = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME']);
const NOT_TLS = /wrong version number|packet length too long|unsupported protocol|http request/i;
const CLIENT_CERTIFICATE =
  /certificate required|bad certificate|handshake failure|unknown ca|certificate unknown|access denied/i;

/** Failures to connect, which are the same for every request. */
const NOBODY: ReadonlySet<ErrorCode> = new Set([
  'REGISTRY_UNAVAILABLE',
  'NAME_UNRESOLVED',
  'PROXY_FAILED',
]);

export function metNobody(error: unknown): boolean {
  return error instanceof AtollError && NOBODY.has(error.code);
}

/** The code for what Node says went wrong on the way to a server. */
export function networkCode(cause: unknown): ErrorCode {
  const code = systemCodeOf(cause) ?? '';
  if (cause instanceof ProxyError) return 'PROXY_FAILED';
  if (cause instanceof ProtocolError) return cause.tls ? 'TLS_EXPECTED' : 'REGISTRY_UNAVAILABLE';
  if (UNTRUSTED.has(code)) return 'TLS_UNTRUSTED';
  if (EXPIRED.has(code)) return 'TLS_EXPIRED';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'TLS_NAME_MISMATCH';
  if (UNRESOLVED.has(code)) return 'NAME_UNRESOLVED';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return sslCode(messageOf(cause));
  return 'REGISTRY_UNAVAILABLE';
}

function sslCode(message: string): ErrorCode {
  if (/alert/i.test(message) && CLIENT_CERTIFICATE.test(message)) return 'TLS_CLIENT_REFUSED';
  return NOT_TLS.test(message) ? 'TLS_NOT_SPOKEN' : 'REGISTRY_UNAVAILABLE';
}

const HINTS: Partial<Record<ErrorCode, (host: string, registry: string) => string>> = {
  TLS_UNTRUSTED: (_host, registry) =>
    `Give the CA that signed it with --ca FILE, or put it into certs.d/${registry}/ca.crt`,
  TLS_NAME_MISMATCH: () => 'Use a name the certificate lists, or issue it again for this name',
  TLS_EXPIRED: () => 'Renew the certificate, and check the clock of this machine',
  TLS_NOT_SPOKEN: (host) => `If ${host} really has no TLS, allow that with --insecure`,
  TLS_EXPECTED: (host) => `${host} wants TLS: use https`,
  TLS_CLIENT_REFUSED: (_host, registry) =>
    `Put the client certificate and key this server wants into certs.d/${registry}/client.cert and client.key`,
  NAME_UNRESOLVED: (host) => `Check the spelling of ${host} and the DNS of this machine`,
  PROXY_FAILED: () => 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and the user in the proxy URL',
  REGISTRY_UNAVAILABLE: (host) => `Check that ${host} runs and that this machine may reach it`,
};

/**
 * Whether a name or an address was reached is told by the code; the words are Node's own. `registry`
 * is who sent us there: certificates lie below its name.
 */
export function networkError(url: URL, cause: unknown, registry: string): unknown {
  if (cause instanceof AtollError) return cause;
  const code = networkCode(cause);
  const words = redact(wordsOf(cause));
  const status = cause instanceof ProxyError ? cause.status : undefined;
  // A proxy that wants other credentials will want them the next time too.
  const final = status === 407 || status === 403;
  return new AtollError(final ? 'PROXY_DENIED' : code, `Cannot reach ${url.host}: ${words}`, {
    hint: HINTS[code]?.(url.host, registry),
    details: { registry: url.host, ...(status ? { status } : {}) },
    cause,
  });
}

/** An AggregateError of several addresses has no words of its own. */
function wordsOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) {
    return [...new Set(cause.errors.map(messageOf))].join('; ');
  }
  const first = messageOf(cause).split('\n')[0] ?? '';
  const ssl = /:SSL routines:[^:]*:([^:]+)/.exec(first)?.[1];
  return ssl ?? (first || (systemCodeOf(cause) ?? 'the connection failed'));
}
