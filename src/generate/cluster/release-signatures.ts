import { AtollError } from '../../core/errors.ts';
import { byText, sortedRecord } from '../../core/order.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';
import type { ConfigMap } from './config-map.ts';

export interface SignatureDocument {
  readonly digest: Digest;
  /** The detached GPG message as the signature store serves it. */
  readonly bytes: Uint8Array;
}

const KEY = /^(?<release>sha256-[0-9a-f]{64})-\d+$/;

/**
 * The ConfigMap by which the cluster version operator believes in a release it cannot look up.
 * Signatures of an earlier ConfigMap stay, so that updates of last month still verify.
 */
export function releaseSignatures(
  signatures: readonly SignatureDocument[],
  earlier?: Pick<ConfigMap, 'binaryData'>,
): ConfigMap {
  const byRelease = new Map<string, Set<string>>();
  const add = (release: string, base64: string) =>
    byRelease.set(release, (byRelease.get(release) ?? new Set()).add(base64));

  for (const [key, base64] of Object.entries(earlier?.binaryData ?? {}))
    add(releaseOf(key), base64);
  for (const { digest, bytes } of signatures) {
    const { algorithm, hex } = splitDigest(digest);
    add(`${algorithm}-${hex}`, Buffer.from(bytes).toString('base64'));
  }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'mirrored-release-signatures',
      namespace: 'openshift-config-managed',
      labels: { 'release.openshift.io/verification-signatures': '' },
    },
    binaryData: sortedRecord(numbered(byRelease)),
  };
}

function numbered(byRelease: ReadonlyMap<string, ReadonlySet<string>>): Record<string, string> {
  const entries = [...byRelease].flatMap(([release, all]) =>
    [...all].toSorted(byText).map((base64, index) => [`${release}-${index + 1}`, base64]),
  );
  return Object.fromEntries(entries);
}

function releaseOf(key: string): string {
  const release = KEY.exec(key)?.groups?.release;
  if (release !== undefined) return release;
  throw new AtollError('INPUT_INVALID', `Cannot keep signature "${key}" of an earlier ConfigMap`, {
    hint: 'Its keys must look like "sha256-<64 hex digits>-1"',
  });
}
