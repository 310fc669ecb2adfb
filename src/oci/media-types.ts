/** The media types atoll knows, by what they are. Docker's and OCI's have the same JSON shape. */
export const MEDIA_TYPES = {
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  ociConfig: 'application/vnd.oci.image.config.v1+json',
  ociLayer: 'application/vnd.oci.image.layer.v1.tar',
  ociLayerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  ociLayerZstd: 'application/vnd.oci.image.layer.v1.tar+zstd',
  ociEmpty: 'application/vnd.oci.empty.v1+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerList: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerConfig: 'application/vnd.docker.container.image.v1+json',
  dockerLayerGzip: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
} as const;

const MANIFESTS: ReadonlySet<string> = new Set([
  MEDIA_TYPES.ociManifest,
  MEDIA_TYPES.dockerManifest,
]);
const INDEXES: ReadonlySet<string> = new Set([MEDIA_TYPES.ociIndex, MEDIA_TYPES.dockerList]);
const SCHEMA1 = /^application\/vnd\.docker\.distribution\.manifest\.v1\+(json|prettyjws)$/;
const FOREIGN =
  /^application\/vnd\.(docker\.image\.rootfs\.foreign\.diff|oci\.image\.layer\.nondistributable\.v1)\.tar/;

/** Sent as `Accept`: everything we can carry without changing a byte. */
export const MANIFEST_ACCEPT: readonly string[] = [...INDEXES, ...MANIFESTS];

export const isIndexType = (mediaType: string): boolean => INDEXES.has(mediaType);
export const isImageManifestType = (mediaType: string): boolean => MANIFESTS.has(mediaType);
export const isManifestType = (mediaType: string): boolean =>
  MANIFESTS.has(mediaType) || INDEXES.has(mediaType);
export const isSchema1Type = (mediaType: string): boolean => SCHEMA1.test(mediaType);
/** Layers that stay where their `urls` say; they are never pushed. */
export const isForeignLayerType = (mediaType: string): boolean => FOREIGN.test(mediaType);
