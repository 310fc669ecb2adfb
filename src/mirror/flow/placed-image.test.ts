import { expect, test } from 'vitest';
import type { ContentImage } from '../../content/content-image.ts';
import type { Platform } from '../../oci/descriptor.ts';
import { parseReference } from '../../oci/reference.ts';
import { parseDestination } from '../destination.ts';
import { placeImages } from './placed-image.ts';

const AMD: Platform = { os: 'linux', architecture: 'amd64' };
const ARM: Platform = { os: 'linux', architecture: 'arm64' };

const image = (platforms?: readonly Platform[]): ContentImage => ({
  kind: 'additional',
  source: parseReference('quay.io/a/b:1'),
  reason: 'asked for',
  platforms,
});

test.each([
  ['two platforms', [[AMD], [ARM, AMD]], [AMD, ARM]],
  ['a platform and the whole', [[AMD], undefined], undefined],
  ['the whole and a platform', [undefined, [AMD]], undefined],
])('placeImages brings all that is asked for of one image: %s', (_what, asked, expected) => {
  const placed = placeImages(asked.map(image), parseDestination('m.example'));

  expect(placed.map((each) => each.image.platforms)).toEqual([expected]);
});
