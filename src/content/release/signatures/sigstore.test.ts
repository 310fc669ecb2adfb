import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MemoryImages } from '../../../../test/support/images.ts';
import { tempDir } from '../../../../test/support/temp.ts';
import { UPSTREAM } from '../../../../test/support/upstream.ts';
import { upstreamSource } from '../../../../test/support/upstream-source.ts';
import { silentContext } from '../../../core/context.ts';
import { digestOf, parseDigest } from '../../../oci/digest.ts';
import { MEDIA_TYPES } from '../../../oci/media-types.ts';
import { loadSigstoreKey, sigstoreTag, verifySigstore } from './sigstore.ts';

const ctx = silentContext();
const source = upstreamSource({
  registry: 'quay.io',
  repository: 'openshift-release-dev/ocp-release',
});
const R4181 = parseDigest(
  'sha256:d32a31796b2fe3e1c058a43d90f0345664bbf113dfab6f3cf17115707705d8d0',
);

/** An image source with one `.sig` for the digest, signed under these names with a new key of this kind. */
function signedWith(kind: 'ec' | 'rsa' | 'ed25519', digest = R4181, names = ['quay.io/a/b']) {
  const { privateKey, publicKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : kind === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519');
  const images = new MemoryImages();
  const layers = names.map((name) => {
    const payload = payloadFor(name, digest);
    const signature = sign(kind === 'ed25519' ? null : 'sha256', payload, privateKey);
    const blob = images.addBlob(payload, 'application/vnd.dev.cosign.simplesigning.v1+json');
    const annotations = { 'dev.cosignproject.cosign/signature': signature.toString('base64') };
    return { ...blob, annotations };
  });
  const config = images.addBlob(Buffer.from('{}'), MEDIA_TYPES.ociConfig);
  images.addManifest({ config, layers }, MEDIA_TYPES.ociManifest, sigstoreTag(R4181));
  return { images, publicKey };
}

function payloadFor(name: string, digest: string): Buffer {
  const critical = {
    identity: { 'docker-reference': name },
    image: { 'docker-manifest-digest': digest },
    type: 'cosign container image signature',
  };
  return Buffer.from(JSON.stringify({ critical, optional: null }));
}

describe('verifySigstore', () => {
  test('accepts the signatures of the fixture, made by cosign', async () => {
    const key = await loadSigstoreKey(join(UPSTREAM, 'cosign.pub'));

    expect(await verifySigstore(ctx, source, R4181, key)).toBe(
      'quay.io/openshift-release-dev/ocp-release',
    );
  });

  test('answers undefined for an image that has no signature', async () => {
    const key = await loadSigstoreKey(join(UPSTREAM, 'cosign.pub'));

    expect(await verifySigstore(ctx, source, digestOf('x'), key)).toBeUndefined();
  });

  test.each(['ec', 'rsa', 'ed25519'] as const)('accepts %s keys and no other key', async (kind) => {
    const { images, publicKey } = signedWith(kind);
    const other = signedWith(kind).publicKey;

    expect(await verifySigstore(ctx, images, R4181, publicKey)).toBe('quay.io/a/b');
    await expect(verifySigstore(ctx, images, R4181, other)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringContaining('not made with this key'),
    });
  });

  test('takes the one of several signatures whose name is accepted', async () => {
    const { images, publicKey } = signedWith('ec', R4181, ['quay.io/a/b:1', 'quay.io/a/b:2']);
    const named = (wanted: string) =>
      verifySigstore(ctx, images, R4181, publicKey, (name) => name === wanted);

    expect(await named('quay.io/a/b:2')).toBe('quay.io/a/b:2');
    await expect(named('quay.io/a/b:3')).rejects.toThrow('it was signed as quay.io/a/b:2');
  });

  test('stays refused when another signature beside the wrong one cannot be read', async () => {
    const { images } = signedWith('ec', R4181, ['quay.io/a/b:1', 'quay.io/a/b:2']);
    images.blobs.set(digestOf(payloadFor('quay.io/a/b:2', R4181)), Buffer.from('cut short'));
    const { publicKey } = signedWith('ec');

    await expect(verifySigstore(ctx, images, R4181, publicKey)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    });
  });

  test('refuses a good signature of another digest under this tag', async () => {
    const { images, publicKey } = signedWith('ec', digestOf('other'));

    await expect(verifySigstore(ctx, images, R4181, publicKey)).rejects.toThrow(
      `it is for ${digestOf('other')}`,
    );
  });
});

test('loadSigstoreKey names a file that holds no key', async () => {
  const file = join(await tempDir(), 'x.pub');
  await writeFile(file, 'nothing');

  await expect(loadSigstoreKey(file)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});
