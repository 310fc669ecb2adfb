import { createPublicKey, type KeyObject } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { loadSigstoreKey } from '../../content/release/signatures/sigstore.ts';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent } from '../../core/files.ts';
import type { Policy } from '../node/policy.ts';
import { asksRekor, type SigstoreSigned } from '../node/policy-schema.ts';

export interface SignatureTools {
  readonly policy: Policy | undefined;
  /** Verifies what no key of the policy does. */
  readonly key: KeyObject | undefined;
  /** Told once for each thing that could not be looked at. */
  readonly unchecked: (what: string) => void;
}

/** Keys of which one must have signed: those of the policy, else the one that was named for it. */
export async function keysOf(
  rule: string,
  signed: SigstoreSigned | undefined,
  { policy, key, unchecked }: SignatureTools,
): Promise<KeyObject[]> {
  if (signed && asksRekor(signed)) unchecked(`${rule}: entries of Rekor`);
  const own = signed && policy ? await policyKeys(policy, signed) : [];
  if (own.length > 0) return own;
  if (signed && !key) unchecked(`${rule}: ${rootOf(signed)}: signatures were only looked for`);
  return key ? [key] : [];
}

function rootOf({ fulcio, pki, keyPath, keyPaths = [] }: SigstoreSigned): string {
  if (fulcio || pki) return `certificates of ${fulcio ? 'Fulcio' : 'a PKI'}`;
  return `the key ${[...(keyPath ? [keyPath] : []), ...keyPaths].join(', ')} is not beside the policy`;
}

/** Keys inside the policy, or in files of their names beside it. */
async function policyKeys(policy: Policy, signed: SigstoreSigned): Promise<KeyObject[]> {
  const { keyData, keyDatas = [], keyPath, keyPaths = [] } = signed;
  const inside = [...(keyData ? [keyData] : []), ...keyDatas].map((data) => keyIn(policy, data));
  const paths = [...(keyPath ? [keyPath] : []), ...keyPaths];
  const beside = paths.map((path) => join(dirname(policy.file), basename(path)));
  const texts = await Promise.all(beside.map(readTextIfPresent));
  const found = beside.filter((_, index) => texts[index] !== undefined);
  return [...inside, ...(await Promise.all(found.map(loadSigstoreKey)))];
}

function keyIn({ file }: Policy, data: string): KeyObject {
  try {
    return createPublicKey(Buffer.from(data, 'base64'));
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot use "${file}": keyData holds no public key`, {
      hint: 'Put the PEM of the public key there, in base64',
      cause,
    });
  }
}
