import { describe, expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { upstreamSource } from '../../test/support/upstream-source.ts';
import { silentContext } from '../core/context.ts';
import { linearPattern } from '../core/linear-pattern.ts';
import { digestOf } from '../oci/digest.ts';
import { parseManifest } from '../oci/manifest.ts';
import { MEDIA_TYPES } from '../oci/media-types.ts';
import { openDiskStore } from '../store/disk/disk-store.ts';
import { layoutTarget } from '../store/layout/target.ts';
import { splitBlocked } from './blocked.ts';
import { collectAdditionalImages } from './collect-additional.ts';
import { parseImageSet } from './image-set/parse-image-set.ts';

const ctx = silentContext();
const setOf = (additionalImages: readonly object[]) =>
  parseImageSet(
    JSON.stringify({
      apiVersion: 'mirror.openshift.io/v2alpha1',
      kind: 'ImageSetConfiguration',
      mirror: { additionalImages },
    }),
    'isc.yaml',
  );
const deps = { source: upstreamSource };
const HELLO = 'quay.io/openshifttest/hello-openshift:multiarch';

describe('collectAdditionalImages', () => {
  test('resolves each image and keeps going when one is not there', async () => {
    const set = setOf([
      { name: HELLO, targetRepo: 'demo/hello', targetTag: 'v1' },
      { name: 'quay.io/openshifttest/helm:9.9.9' },
      { name: HELLO, platforms: [{ os: 'linux', architecture: 'arm64' }] },
    ]);

    const { images, failures } = await collectAdditionalImages(ctx, set, deps);

    expect(images).toMatchObject([
      {
        kind: 'additional',
        source: { repository: 'openshifttest/hello-openshift', tag: 'multiarch' },
        digest: expect.stringMatching(/^sha256:722b129aaff2/),
        targetRepository: 'demo/hello',
        targetTag: 'v1',
        reason: `listed as ${HELLO}`,
      },
      { platforms: [{ architecture: 'arm64' }] },
    ]);
    expect(failures).toMatchObject([
      { subject: 'additional quay.io/openshifttest/helm:9.9.9', code: 'IMAGE_UNKNOWN' },
    ]);
  });

  test('takes an image from an OCI layout', async () => {
    const folder = `${await tempDir()}/Tool`;
    const store = await openDiskStore(folder);
    const target = layoutTarget(store);
    const bytes = Buffer.from('{}');
    const config = { mediaType: MEDIA_TYPES.ociConfig, digest: digestOf(bytes), size: 2 };
    await target.putBlob(
      ctx,
      config,
      (async function* () {
        yield bytes;
      })(),
    );
    const manifest = parseManifest(
      Buffer.from(JSON.stringify({ schemaVersion: 2, config, layers: [] })),
      MEDIA_TYPES.ociManifest,
    );
    await target.putManifest(ctx, manifest, 'v1');

    const { images, failures } = await collectAdditionalImages(
      ctx,
      setOf([{ name: `oci://${folder}` }, { name: 'oci:///nowhere' }]),
      deps,
    );

    expect(images).toMatchObject([
      { digest: manifest.descriptor.digest, targetRepository: 'tool', targetTag: 'latest' },
    ]);
    await expect(images[0]?.from?.resolve(ctx, manifest.descriptor.digest)).resolves.toMatchObject({
      digest: manifest.descriptor.digest,
    });
    expect(failures).toHaveLength(1);
  });
});

describe('splitBlocked', () => {
  test('takes out what is found in origin, digest or destination', async () => {
    const set = setOf([{ name: HELLO }, { name: 'quay.io/openshifttest/helm:3.17.0' }]);
    const { images } = await collectAdditionalImages(ctx, set, deps);
    const split = (name: string, destination?: string) =>
      splitBlocked(images, [{ name, pattern: linearPattern(name) }], () => destination);

    expect(split('helm').blocked).toMatchObject([
      { by: 'helm', image: { source: { tag: '3.17.0' } } },
    ]);
    expect(split('helm').kept).toHaveLength(1);
    expect(split('^quay\\.io/.*hello').blocked).toHaveLength(1);
    expect(split('sha256:722b129aaff2').blocked).toHaveLength(1);
    expect(split('^mirror', 'docker://mirror.test/x').blocked).toHaveLength(2);
    expect(split('docker://').blocked).toHaveLength(0);
  });
});
