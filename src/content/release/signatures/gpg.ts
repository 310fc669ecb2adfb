import type { Context } from '../../../core/context.ts';
import { AtollError, messageOf } from '../../../core/errors.ts';
import { lowerFirst } from '../../../core/format.ts';
import { checkSigner, loadOpenpgp } from '../../../core/openpgp.ts';
import type { Web } from '../../../http/web.ts';
import { type Digest, splitDigest } from '../../../oci/digest.ts';
import type { ReleaseKeys } from './release-keys.ts';
import { checkSigned, rejected } from './simple-signing.ts';

/** A signature that was verified against a key and a digest. */
export interface VerifiedSignature {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
  /** The name it was signed under, such as `quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64`. */
  readonly identity: string;
  /** Upper-case hex, as `gpg` shows it. */
  readonly keyId: string;
  readonly url: string;
}

export interface SignatureTrust {
  readonly web: Web;
  readonly keys: ReleaseKeys;
  /** URLs of signature stores; the public ones by default. One that ends in `@` is the lookaside of a repository. */
  readonly stores?: readonly string[] | undefined;
}

/**
 * Finds a signature of this digest that one of the keys made and that is valid now. The digest is the
 * one that was pulled: no name in a signature decides what is pulled.
 */
export async function verifyRelease(
  ctx: Context,
  digest: Digest,
  { web, keys, stores = SIGNATURE_STORES }: SignatureTrust,
): Promise<VerifiedSignature> {
  const refused: unknown[] = [];
  for (const store of stores) {
    try {
      for await (const { url, bytes } of storedSignatures(ctx, web, store, digest)) {
        const found = await tryVerify(ctx, bytes, digest, keys);
        if ('error' in found) refused.push(found.error);
        else return { ...found, url };
      }
    } catch (error) {
      ctx.signal.throwIfAborted();
      refused.push(error);
    }
  }
  throw noneFound(digest, stores, refused);
}

async function tryVerify(ctx: Context, bytes: Uint8Array, digest: Digest, keys: ReleaseKeys) {
  try {
    return await verifySignature(bytes, digest, keys, ctx.now());
  } catch (error) {
    return { error };
  }
}

/** Verifies one signed message: first that a key made it, then what it says. */
export async function verifySignature(
  bytes: Uint8Array,
  digest: Digest,
  keys: ReleaseKeys,
  date: Date,
): Promise<Omit<VerifiedSignature, 'url'>> {
  const { data, signatures } = await openMessage(bytes, digest, keys, date);
  let why: unknown;
  for (const { keyID, verified } of signatures) {
    const keyId = keyID.toHex().toUpperCase();
    try {
      await verified;
      await checkSigner(keys, keyID, date);
      const identity = checkSigned(data, { type: 'atomic container signature', digest });
      return { digest, bytes, identity, keyId };
    } catch (error) {
      if (error instanceof AtollError) throw error;
      const isKnown = keys.some((key) => key.getKeys(keyID).length > 0);
      const reason = isKnown
        ? `${lowerFirst(messageOf(error))} (key ${keyId})`
        : `key ${keyId} is not trusted`;
      why = rejected(digest, reason, error);
    }
  }
  throw why ?? rejected(digest, 'the message is not signed');
}

/** What is signed has a few hundred bytes; compressed, a message could unfold to any size. */
const MAX_SIGNED_BYTES = 1024 * 1024;

async function openMessage(bytes: Uint8Array, digest: Digest, keys: ReleaseKeys, date: Date) {
  const { readMessage, verify } = await loadOpenpgp();
  try {
    const config = { maxDecompressedMessageSize: MAX_SIGNED_BYTES };
    const message = await readMessage({ binaryMessage: bytes, config });
    const verificationKeys = [...keys];
    return await verify({ message, verificationKeys, date, format: 'binary' });
  } catch (cause) {
    throw rejected(digest, 'it is not an OpenPGP message', cause);
  }
}

function noneFound(
  digest: Digest,
  stores: readonly string[],
  refused: readonly unknown[],
): AtollError {
  const isRefusal = (error: unknown) =>
    error instanceof AtollError && error.code === 'SIGNATURE_INVALID';
  // A bad signature says more than a store that could not be reached.
  const first = refused.find(isRefusal) ?? refused[0];
  if (first instanceof AtollError) {
    return new AtollError(first.code, first.message, {
      hint: first.hint ?? 'Do not use this release; for keys of your own give --release-key FILE',
      cause: first.cause,
      details: { digest },
    });
  }
  if (first !== undefined) return rejected(digest, messageOf(first), first);
  return new AtollError(
    'SIGNATURE_MISSING',
    `Cannot find a signature of ${digest} in ${stores.join(' or ')}`,
    {
      hint: 'Name another store with --signature-store URL, or take the risk with --ignore-release-signature',
      details: { digest },
    },
  );
}

/** The public stores, in the order they are asked. */
export const SIGNATURE_STORES: readonly string[] = [
  'https://mirror.openshift.com/pub/openshift-v4/signatures/openshift/release',
  'https://storage.googleapis.com/openshift-release/official/signatures/openshift/release',
];

const MAX_SIGNATURES = 9;
const MAX_SIGNATURE_BYTES = 50 * 1024;

/** A GPG signature as the store has it, not yet verified. */
interface StoredSignature {
  readonly url: string;
  readonly bytes: Uint8Array;
}

/** The signatures of a digest in one store: `<store>/sha256=<hex>/signature-N`, or `<store>/<repository>@sha256=…`; N from 1 without gaps. */
async function* storedSignatures(
  ctx: Context,
  web: Web,
  store: string,
  digest: Digest,
): AsyncGenerator<StoredSignature> {
  const { algorithm, hex } = splitDigest(digest);
  const before = store.endsWith('@') ? store : `${store.replace(/\/+$/, '')}/`;
  const folder = `${before}${algorithm}=${hex}`;
  for (let number = 1; number <= MAX_SIGNATURES; number += 1) {
    const url = `${folder}/signature-${number}`;
    const bytes = await web.get(ctx, url, { maxBytes: MAX_SIGNATURE_BYTES });
    if (!bytes) return;
    yield { url, bytes };
  }
}
