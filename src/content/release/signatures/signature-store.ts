import type { Context } from '../../../core/context.ts';
import type { Web } from '../../../http/web.ts';
import { type Digest, splitDigest } from '../../../oci/digest.ts';

/** The public stores, in the order they are asked. */
export const SIGNATURE_STORES: readonly string[] = [
  'https://mirror.openshift.com/pub/openshift-v4/signatures/openshift/release',
  'https://storage.googleapis.com/openshift-release/official/signatures/openshift/release',
];

const MAX_SIGNATURES = 9;
const MAX_SIGNATURE_BYTES = 50 * 1024;

/** A GPG signature as the store has it, not yet verified. */
export interface StoredSignature {
  readonly url: string;
  readonly bytes: Uint8Array;
}

/** The signatures of a digest in one store: `<store>/sha256=<hex>/signature-N`, N from 1 without gaps. */
export async function* storedSignatures(
  ctx: Context,
  web: Web,
  store: string,
  digest: Digest,
): AsyncGenerator<StoredSignature> {
  const { algorithm, hex } = splitDigest(digest);
  const folder = `${store.replace(/\/+$/, '')}/${algorithm}=${hex}`;
  for (let number = 1; number <= MAX_SIGNATURES; number += 1) {
    const url = `${folder}/signature-${number}`;
    const bytes = await web.get(ctx, url, { maxBytes: MAX_SIGNATURE_BYTES });
    if (!bytes) return;
    yield { url, bytes };
  }
}
