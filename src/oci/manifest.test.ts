import { expect, test } from 'vitest';
import { digestOf } from './digest.ts';
import { isImage, isIndex, MAX_MANIFEST_BYTES, parseManifest } from './manifest.ts';
import { MEDIA_TYPES } from './media-types.ts';
import { referrerDescriptor, referrersTag } from './referrers.ts';

const blob = (text: string, mediaType: string) => ({
  mediaType,
  digest: digestOf(text),
  size: text.length,
});
const config = blob('config', MEDIA_TYPES.ociConfig);
const layer = blob('layer', MEDIA_TYPES.ociLayerGzip);
const bytesOf = (json: unknown) => Buffer.from(JSON.stringify(json));
const image = { schemaVersion: 2, mediaType: MEDIA_TYPES.ociManifest, config, layers: [layer] };

test('parseManifest keeps the bytes of an OCI image as they are', () => {
  const bytes = Buffer.from(`${JSON.stringify({ ...image, unknown: { field: 1 } }, null, 3)}\n\n`);

  const manifest = parseManifest(bytes);

  expect(manifest.bytes).toBe(bytes);
  expect(manifest.descriptor).toEqual({
    mediaType: MEDIA_TYPES.ociManifest,
    digest: digestOf(bytes),
    size: bytes.length,
  });
  expect(manifest.children).toEqual([config, layer]);
  expect(isImage(manifest)).toBe(true);
  expect(isIndex(manifest)).toBe(false);
});

test('parseManifest reads Docker schema 2 images and lists', () => {
  const dockerConfig = blob('config', MEDIA_TYPES.dockerConfig);
  const dockerImage = parseManifest(
    bytesOf({
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.dockerManifest,
      config: dockerConfig,
      layers: [blob('layer', MEDIA_TYPES.dockerLayerGzip)],
    }),
  );
  const platform = { architecture: 'amd64', os: 'linux', 'os.version': '10' };
  const list = parseManifest(
    bytesOf({
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.dockerList,
      manifests: [{ ...dockerImage.descriptor, platform }],
    }),
  );

  expect(dockerImage.descriptor.mediaType).toBe(MEDIA_TYPES.dockerManifest);
  expect(dockerImage.children[0]).toEqual(dockerConfig);
  expect(isIndex(list)).toBe(true);
  expect(list.children).toEqual([{ ...dockerImage.descriptor, platform }]);
});

test.each([
  [undefined, MEDIA_TYPES.ociManifest],
  ['application/json', MEDIA_TYPES.ociManifest],
  [`${MEDIA_TYPES.ociManifest}; charset=utf-8`, MEDIA_TYPES.ociManifest],
])('parseManifest finds the type where OCI lets it be absent (header %s)', (header, expected) => {
  const { mediaType: _absent, ...untyped } = image;

  expect(parseManifest(bytesOf(untyped), header).descriptor.mediaType).toBe(expected);
});

test('parseManifest takes the type of an index from its shape', () => {
  const manifest = parseManifest(bytesOf({ schemaVersion: 2, manifests: [] }));

  expect(manifest.descriptor.mediaType).toBe(MEDIA_TYPES.ociIndex);
  expect(manifest.children).toEqual([]);
});

test('parseManifest gives an artifact its subject and type, and the subject is no child', () => {
  const empty = blob('{}', MEDIA_TYPES.ociEmpty);
  const subject = blob('image', MEDIA_TYPES.ociManifest);
  const manifest = parseManifest(
    bytesOf({
      ...image,
      artifactType: 'application/spdx+json',
      config: empty,
      layers: [empty],
      subject,
      annotations: { made: 'today' },
    }),
  );

  expect(manifest.subject).toEqual(subject);
  expect(manifest.children).toEqual([empty]);
  expect(manifest.descriptor.artifactType).toBe('application/spdx+json');
  expect(referrerDescriptor(manifest)).toEqual({
    ...manifest.descriptor,
    annotations: { made: 'today' },
  });
});

test('referrerDescriptor uses the type of the config where an image names none', () => {
  expect(referrerDescriptor(parseManifest(bytesOf(image))).artifactType).toBe(
    MEDIA_TYPES.ociConfig,
  );
  const index = parseManifest(bytesOf({ schemaVersion: 2, manifests: [] }));
  expect(referrerDescriptor(index)).not.toHaveProperty('artifactType');
});

test('referrersTag is a tag also for sha512', () => {
  expect(referrersTag(digestOf('x'))).toBe(digestOf('x').replace(':', '-'));
  expect(referrersTag(digestOf('x', 'sha512'))).toHaveLength('sha512-'.length + 64);
});

test('parseManifest takes null for absent, and for an empty list, as Go writes them', () => {
  const bare = { ...layer, urls: null, annotations: null, platform: null, artifactType: null };
  const nulls = { annotations: null, subject: null, artifactType: null };

  const manifest = parseManifest(bytesOf({ ...image, layers: [bare], ...nulls }));
  const nothing = parseManifest(bytesOf({ ...image, layers: null }));
  const index = parseManifest(
    bytesOf({ schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests: null }),
  );

  expect(manifest.children).toEqual([config, layer]);
  expect(manifest.subject).toBeUndefined();
  expect(nothing.children).toEqual([config]);
  expect(index.children).toEqual([]);
  expect(() => parseManifest(bytesOf({ ...image, layers: [null] }))).toThrowError(
    expect.objectContaining({ code: 'MANIFEST_INVALID' }),
  );
});

test('parseManifest refuses a byte order mark, as other readers do', () => {
  const bytes = Buffer.concat([Buffer.from('\ufeff'), bytesOf(image)]);

  expect(() => parseManifest(bytes)).toThrowError(
    expect.objectContaining({ code: 'MANIFEST_INVALID' }),
  );
});

test.each(['Layers', 'CONFIG', 'MediaType', 'manifestS', 'Subject'])(
  'parseManifest refuses a document with the field %s, which some would read in its place',
  (field) => {
    expect(() => parseManifest(bytesOf({ ...image, [field]: [] }))).toThrowError(
      expect.objectContaining({
        code: 'MANIFEST_INVALID',
        message: expect.stringContaining(field),
      }),
    );
  },
);

test('parseManifest keeps layers of other types, whatever their names contain', () => {
  const own = blob('own', 'application/vnd.example.foreign.keys.v1+json');

  expect(parseManifest(bytesOf({ ...image, layers: [own] })).children).toEqual([config, own]);
});

test('parseManifest leaves out foreign layers and repeats', () => {
  const foreign = [
    {
      ...blob('f1', 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip'),
      urls: ['http://x'],
    },
    blob('f2', 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip'),
  ];
  const manifest = parseManifest(bytesOf({ ...image, layers: [layer, ...foreign, layer] }));

  expect(manifest.children).toEqual([config, layer]);
  expect(isImage(manifest) && manifest.content.layers).toHaveLength(4);
});

test.each([
  ['by its version', { schemaVersion: 1, name: 'x', fsLayers: [] }, undefined],
  [
    'by its header',
    { schemaVersion: 2 },
    'application/vnd.docker.distribution.manifest.v1+prettyjws',
  ],
  ['by its type', { mediaType: 'application/vnd.docker.distribution.manifest.v1+json' }, undefined],
])('parseManifest refuses schema 1, known %s', (_how, json, header) => {
  expect(() => parseManifest(bytesOf(json), header)).toThrowError(
    expect.objectContaining({
      code: 'MANIFEST_UNSUPPORTED',
      hint: expect.stringContaining('Push'),
    }),
  );
});

test.each([
  ['no JSON', Buffer.from('<html>'), 'it is not JSON'],
  ['bytes that are no text', Buffer.from([0xff, 0xfe]), 'it is not JSON'],
  ['a list', bytesOf([]), 'it is not a JSON object'],
  ['null', bytesOf(null), 'it is not a JSON object'],
  ['an unknown type', bytesOf({ mediaType: 'text/html' }), 'its media type is "text/html"'],
  ['no type and no shape', bytesOf({ schemaVersion: 2 }), 'its media type is "unknown"'],
  ['no config', bytesOf({ ...image, config: undefined }), 'config'],
  [
    'a bad digest',
    bytesOf({ ...image, config: { ...config, digest: 'sha256:1' } }),
    'config.digest',
  ],
  ['a negative size', bytesOf({ ...image, layers: [{ ...layer, size: -1 }] }), 'layers.0.size'],
  ['an image that is also an index', bytesOf({ ...image, manifests: [] }), '"manifests"'],
  [
    'an index that is also an image',
    bytesOf({ schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests: [], layers: [] }),
    '"layers"',
  ],
])('parseManifest refuses %s', (_name, bytes, found) => {
  expect(() => parseManifest(bytes)).toThrowError(
    expect.objectContaining({ code: 'MANIFEST_INVALID', message: expect.stringContaining(found) }),
  );
});

test('parseManifest refuses 100 MB without looking at them', () => {
  expect(() => parseManifest(Buffer.alloc(100_000_000))).toThrowError(
    expect.objectContaining({
      code: 'MANIFEST_INVALID',
      message: expect.stringContaining(`more than ${MAX_MANIFEST_BYTES}`),
    }),
  );
});

test('parseManifest takes a manifest of nearly 4 MiB', () => {
  const annotations = { padding: 'x'.repeat(MAX_MANIFEST_BYTES - 2000) };

  expect(parseManifest(bytesOf({ ...image, annotations })).children).toHaveLength(2);
});
