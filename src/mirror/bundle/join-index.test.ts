import { expect, test } from 'vitest';
import { parseDigest } from '../../oci/digest.ts';
import type { Need } from '../need.ts';
import type { BundleImage, BundleIndex } from './bundle-index.ts';
import { joinIndex } from './join-index.ts';

const DIGEST = parseDigest(`sha256:${'0'.repeat(64)}`);
const EMPTY = { chunkBytes: 1, chunks: [], blobs: [], since: [], base: [], attachments: [] };

function component(tag: string, neededBy: Need[]): BundleImage {
  const source = `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${DIGEST}`;
  const image = { kind: 'component', source, digest: DIGEST, component: 'etcd', reason: '' };
  return { ...image, mediaType: '', size: 1, release: { tag }, neededBy };
}

const index = (...images: BundleImage[]) =>
  ({ ...EMPTY, images, signatures: [], format: 'atoll-bundle/1', id: '' }) as BundleIndex;

test('joinIndex keeps a component that two releases share under the name of each', () => {
  const images = [component('4.18.2-x86_64', []), component('4.18.1-x86_64', [])];

  const tags = joinIndex(undefined, index(...images)).images.map(({ release }) => release?.tag);

  expect(tags).toEqual(['4.18.1-x86_64', '4.18.2-x86_64']);
});

test('joinIndex remembers everything that needs an image when a bundle grows', () => {
  const before = index(component('4.18.1-x86_64', [{ kind: 'release', tag: '4.18.1-x86_64' }]));
  const added = index(component('4.18.1-x86_64', [{ kind: 'graph' }]));

  const [image] = joinIndex(before, added).images;

  expect(image?.neededBy).toEqual([{ kind: 'graph' }, { kind: 'release', tag: '4.18.1-x86_64' }]);
});
