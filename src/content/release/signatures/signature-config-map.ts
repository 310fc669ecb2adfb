import { byFirst } from '../../../core/order.ts';
import { splitDigest } from '../../../oci/digest.ts';
import type { ReleaseSignature } from '../../content-image.ts';

/** Data of the ConfigMaps with which a cluster accepts an update to a mirrored release. */
export interface SignatureConfigMap {
  /** `sha256-<hex>`: one ConfigMap for each release. */
  readonly name: string;
  /** `sha256-<hex>-N` to base64. */
  readonly binaryData: Readonly<Record<string, string>>;
}

/** One for each signed digest, in order of the digests; several signatures of one are numbered. */
export function signatureConfigMaps(
  signatures: readonly ReleaseSignature[],
): readonly SignatureConfigMap[] {
  const byName = new Map<string, string[]>();
  for (const { digest, bytes } of signatures) {
    const { algorithm, hex } = splitDigest(digest);
    const name = `${algorithm}-${hex}`;
    const encoded = Buffer.from(bytes).toString('base64');
    const known = byName.get(name) ?? [];
    if (!known.includes(encoded)) byName.set(name, [...known, encoded]);
  }
  return [...byName].toSorted(byFirst).map(([name, encoded]) => ({
    name,
    binaryData: Object.fromEntries(encoded.map((value, index) => [`${name}-${index + 1}`, value])),
  }));
}
