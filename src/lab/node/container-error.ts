import { AtollError, messageOf } from '../../core/errors.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import type { FailedEndpoint } from '../../rehearse/node/find-image.ts';

// What podman, CRI-O and skopeo print when a pull fails. Operators and `atoll diagnose` know these
// words, so a lab node uses them, too.

/** `initializing source docker://…: (Mirrors also failed: […]): …`, as containers/image words it. */
export function pullErrorText(reference: Reference, failures: readonly FailedEndpoint[]): string {
  const name = formatReference(reference);
  const mirrors = failures.filter((failure) => failure.mirror);
  const source = failures.find((failure) => !failure.mirror);
  const primary = source ? causeText(source) : 'no endpoint could be tried';
  if (mirrors.length === 0) return `initializing source docker://${name}: ${primary}`;
  const listed = mirrors.map(
    (failure) => `${formatReference(failure.reference)}: ${causeText(failure)}`,
  );
  return `initializing source docker://${name}: (Mirrors also failed: [${listed.join('] [')}]): ${name}: ${primary}`;
}

/** The cause in the words of Go's clients. */
function causeText({ reference, error }: Pick<FailedEndpoint, 'reference' | 'error'>): string {
  const { registry, repository } = reference;
  const ping = `pinging container registry ${registry}: Get "https://${registry}/v2/"`;
  const host = registry.replace(/:\d+$/, '');
  const manifest = `reading manifest ${reference.digest ?? reference.tag ?? 'latest'} in ${registry}/${repository}`;
  // No error: it answered, and did not have it.
  switch (error === undefined ? 'IMAGE_UNKNOWN' : error instanceof AtollError && error.code) {
    case 'NAME_UNRESOLVED':
      return `${ping}: dial tcp: lookup ${host} on 10.0.0.2:53: no such host`;
    case 'TLS_UNTRUSTED':
      return `${ping}: tls: failed to verify certificate: x509: certificate signed by unknown authority`;
    case 'TLS_NAME_MISMATCH':
      return `${ping}: tls: failed to verify certificate: x509: certificate is valid for other names, not ${host}`;
    case 'TLS_EXPIRED':
      return `${ping}: tls: failed to verify certificate: x509: certificate has expired or is not yet valid`;
    case 'REGISTRY_UNAVAILABLE':
      return `${ping}: dial tcp ${registry}: connect: connection refused`;
    case 'REGISTRY_DENIED':
    case 'TOKEN_EXPIRED':
      return `${manifest}: unauthorized: authentication required`;
    case 'IMAGE_UNKNOWN':
      return `${manifest}: manifest unknown`;
    case 'REGISTRY_BLOCKED':
      return `registry ${host} is blocked in /etc/containers/registries.conf`;
    default:
      return messageOf(error);
  }
}

/** When the layers no longer fit on the disk. */
export function diskFullText(digest: string): string {
  return `writing blob: storing blob to file "/var/tmp/container_images_storage/${digest.slice(7, 19)}": write /var/tmp/container_images_storage/${digest.slice(7, 19)}: no space left on device`;
}
