import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import type { Source } from '../../../oci/content.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { type Digest, splitDigest } from '../../../oci/digest.ts';
import { isImage } from '../../../oci/manifest.ts';
import { readSmallBlob } from '../../layers/image-config.ts';
import { checkSigned, rejected } from './simple-signing.ts';

const PAYLOAD_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const SIGNATURE = 'dev.cosignproject.cosign/signature';
const MAX_PAYLOAD_BYTES = 64 * 1024;

/** Where cosign keeps the signatures of an image: a tag in the image's own repository. */
export function sigstoreTag(digest: Digest): string {
  const { algorithm, hex } = splitDigest(digest);
  return `${algorithm}-${hex}.sig`;
}

/** The manifest that holds the signatures of an image, or undefined when there is none. */
export function findSigstore(
  ctx: Context,
  source: Source,
  digest: Digest,
): Promise<Descriptor | undefined> {
  return source.resolve(ctx, sigstoreTag(digest));
}

export async function loadSigstoreKey(file: string): Promise<KeyObject> {
  const pem = await readText(file);
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot use the key "${file}": it is no public key`, {
      hint: 'Give a PEM file, such as the cosign.pub of the signer',
      cause,
    });
  }
}

/**
 * Verifies that one of the image's cosign signatures was made with this key for this very digest, under
 * a name that is accepted. Answers that name, or undefined when the image has no signature.
 */
export async function verifySigstore(
  ctx: Context,
  source: Source,
  digest: Digest,
  key: KeyObject,
  accepts: (name: string) => boolean = () => true,
): Promise<string | undefined> {
  const descriptor = await findSigstore(ctx, source, digest);
  if (!descriptor) return undefined;
  const manifest = await source.manifest(ctx, descriptor);
  const layers = isImage(manifest) ? manifest.content.layers : [];
  const errors: AtollError[] = [];
  for (const layer of layers.filter(({ mediaType }) => mediaType === PAYLOAD_TYPE)) {
    try {
      const name = await verifyLayer(ctx, source, layer, digest, key);
      if (accepts(name)) return name;
      errors.push(rejected(digest, `it was signed as ${name}`));
    } catch (error) {
      if (!(error instanceof AtollError)) throw error;
      errors.push(error);
    }
  }
  throw worstOf(errors) ?? rejected(digest, `${sigstoreTag(digest)} holds no signature`);
}

/** A wrong signature weighs more than one beside it that could not be read. */
function worstOf(errors: readonly AtollError[]): AtollError | undefined {
  return errors.findLast(({ code }) => code === 'SIGNATURE_INVALID') ?? errors.at(-1);
}

async function verifyLayer(
  ctx: Context,
  source: Source,
  layer: Descriptor,
  digest: Digest,
  key: KeyObject,
): Promise<string> {
  const signature = Buffer.from(layer.annotations?.[SIGNATURE] ?? '', 'base64');
  const payload = await readSmallBlob(ctx, source, layer, MAX_PAYLOAD_BYTES);
  // Ed25519 hashes by itself; ECDSA and RSA are told to.
  const algorithm = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  if (!verify(algorithm, payload, key, signature)) {
    throw rejected(digest, 'it was not made with this key');
  }
  return checkSigned(payload, { type: 'cosign container image signature', digest });
}
