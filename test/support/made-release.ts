import type { ComponentReach } from '../../src/content/release/locate-component.ts';
import { openRelease } from '../../src/content/release/open-release.ts';
import { silentContext } from '../../src/core/context.ts';
import { parseReference } from '../../src/oci/reference.ts';
import { MemoryImages, type TarFile } from './images.ts';

/** A release at mirror.test whose components hold these files. */
export async function releaseWith(
  components: Record<string, readonly TarFile[]>,
  manifests: Record<string, string> = {},
) {
  const images = new MemoryImages();
  const tags = await Promise.all(
    Object.entries(components).map(async ([name, files]) => {
      const { digest } = images.addImage([await images.addLayer(files)]);
      return { name, from: { kind: 'DockerImage', name: `quay.io/art/dev@${digest}` } };
    }),
  );
  const files = {
    'image-references': JSON.stringify({
      kind: 'ImageStream',
      apiVersion: 'image.openshift.io/v1',
      metadata: { name: '4.18.1' },
      spec: { tags },
    }),
    'release-metadata': JSON.stringify({ kind: 'cincinnati-metadata-v0', version: '4.18.1' }),
    ...manifests,
  };
  const layer = await images.addLayer(
    Object.entries(files).map(([name, content]) => ({
      name: `release-manifests/${name}`,
      content,
    })),
  );
  const descriptor = images.addImage([layer], '4.18.1-x86_64');
  const reference = parseReference('mirror.test/ocp/release-images:4.18.1-x86_64');
  const release = await openRelease(silentContext(), {
    reference,
    source: images,
    tagOrDigest: '4.18.1-x86_64',
    shown: 'it',
  });
  const reach: ComponentReach = { source: () => images, repository: () => images };
  return { images, release, reach, descriptor };
}
