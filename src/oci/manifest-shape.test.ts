import { expect, test } from 'vitest';
import { digestOf } from './digest.ts';
import { imageShape, indexShape, isDescriptor } from './manifest-shape.ts';

const one = { mediaType: 'a/b', digest: digestOf(Buffer.from('x')), size: 1 };
const image = { schemaVersion: 2, config: one, layers: [one] };

test.each([
  ['no media type', { ...one, mediaType: '' }, 'mediaType: not a media type'],
  ['a media type that is no text', { ...one, mediaType: 1 }, 'mediaType: not a media type'],
  ['no digest', { ...one, digest: 'sha256:ab' }, 'digest: not a sha256 or sha512 digest'],
  ['a digest that is no text', { ...one, digest: [one.digest] }, 'digest: not a sha256'],
  ['a size below zero', { ...one, size: -1 }, 'size: not a whole number'],
  ['a platform without its system', { ...one, platform: { architecture: 'a' } }, 'platform.os'],
  [
    'a platform with an odd variant',
    { ...one, platform: { os: 'l', architecture: 'a', variant: 8 } },
    'platform.variant',
  ],
  ['addresses that are none', { ...one, urls: [1] }, 'urls.0: not a text'],
  ['annotations that are no texts', { ...one, annotations: { a: 1 } }, 'annotations.a: not a text'],
  ['a type that is no text', { ...one, artifactType: 1 }, 'artifactType: not a text'],
])('imageShape finds a descriptor with %s wherever it stands', (_what, wrong, problem) => {
  expect(isDescriptor(wrong)).toBe(false);
  expect(imageShape({ ...image, config: wrong })).toContain(`config.${problem}`);
  expect(imageShape({ ...image, layers: [one, wrong] })).toContain(`layers.1.${problem}`);
  expect(imageShape({ ...image, subject: wrong })).toContain(`subject.${problem}`);
  expect(indexShape({ schemaVersion: 2, manifests: [wrong] })).toContain(`manifests.0.${problem}`);
});

test('imageShape and indexShape accept what is right, with all that may be left out or added', () => {
  const full = {
    ...one,
    urls: ['https://x'],
    annotations: { a: 'b' },
    platform: { os: 'linux', architecture: 'arm', variant: 'v8', 'os.version': '1' },
    artifactType: 'a/b',
  };
  const common = { mediaType: 'm', artifactType: 'a/b', subject: one, annotations: { a: 'b' } };

  expect(isDescriptor(full)).toBe(true);
  expect(imageShape({ ...image, ...common, config: full, more: 1 })).toBeUndefined();
  expect(indexShape({ schemaVersion: 2, manifests: [], ...common })).toBeUndefined();
});

test.each([
  [{ ...image, schemaVersion: 1 }, 'schemaVersion: not 2'],
  [{ ...image, schemaVersion: '2' }, 'schemaVersion: not 2'],
  [{ ...image, layers: undefined }, 'layers: missing'],
  [{ ...image, config: undefined }, 'config: missing'],
  [{ ...image, mediaType: 1 }, 'mediaType: not a text'],
  [{ ...image, annotations: [] }, 'annotations: not an object'],
])('imageShape says of %j what is wrong', (manifest, problem) => {
  expect(imageShape(manifest)).toBe(problem);
});
