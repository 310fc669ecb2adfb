import type { KeyID, PublicKey } from 'openpgp';

/** Half a megabyte that most runs do not need: read when the first key or signature is looked at. */
export const loadOpenpgp = () => import('openpgp');

/**
 * Throws unless the key that signed may still sign. The library takes a signature that is older than the
 * end of its key; who has that key could backdate.
 */
export async function checkSigner(
  keys: readonly PublicKey[],
  keyId: KeyID,
  date: Date,
): Promise<void> {
  const signing = keys.filter((key) => key.getKeys(keyId).length > 0);
  for (const key of signing) await key.getSigningKey(keyId, date);
}
