import { createSign, generateKeyPairSync } from 'node:crypto';
import { loadOpenpgp } from '../../core/openpgp.ts';
import { type BuiltImage, blobOf, buildArtifact } from '../../oci/build-image.ts';
import type { Digest } from '../../oci/digest.ts';

const SIMPLE_SIGNING = 'application/vnd.dev.cosign.simplesigning.v1+json';
const SIGNATURE_ANNOTATION = 'dev.cosignproject.cosign/signature';

/** The two signatures a release carries: GPG for the version operator, Sigstore for the nodes. */
export interface ReleaseSigner {
  /** ASCII-armoured public key. */
  readonly releaseKey: string;
  /** PEM public key. */
  readonly sigstoreKey: string;
  /** The body of `signature-1` in a signature store. */
  gpg(digest: Digest, reference: string): Promise<Uint8Array>;
  /** The image that stands at the tag `sha256-<hex>.sig`. */
  sigstore(digest: Digest, reference: string): BuiltImage;
}

/** Fresh keys for one lab; the private halves never leave this process. */
export async function createReleaseSigner(now: Date): Promise<ReleaseSigner> {
  const { createMessage, generateKey, readPrivateKey, sign } = await loadOpenpgp();
  const { privateKey, publicKey: releaseKey } = await generateKey({
    type: 'ecc',
    curve: 'nistP256',
    userIDs: [{ name: 'atoll lab release', email: 'lab@atoll.example' }],
    date: now,
    format: 'armored',
  });
  const signingKeys = await readPrivateKey({ armoredKey: privateKey });
  const cosign = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  return {
    releaseKey,
    sigstoreKey: cosign.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    async gpg(digest, reference) {
      const text = JSON.stringify(claim('atomic container signature', digest, reference));
      const message = await createMessage({ binary: Buffer.from(text) });
      return sign({ message, signingKeys, date: now, format: 'binary' });
    },
    sigstore(digest, reference) {
      const payload = Buffer.from(
        JSON.stringify(claim('cosign container image signature', digest, reference)),
      );
      const signature = createSign('sha256').update(payload).sign(cosign.privateKey, 'base64');
      const { descriptor, bytes } = blobOf(SIMPLE_SIGNING, payload);
      const annotations = { [SIGNATURE_ANNOTATION]: signature };
      return buildArtifact([{ descriptor: { ...descriptor, annotations }, bytes }]);
    },
  };
}

function claim(type: string, digest: Digest, reference: string): object {
  return {
    critical: {
      identity: { 'docker-reference': reference },
      image: { 'docker-manifest-digest': digest },
      type,
    },
    optional: null,
  };
}
