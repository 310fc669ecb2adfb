import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { once } from '../core/bytes.ts';
import type { Context } from '../core/context.ts';
import type { Target } from './content.ts';
import type { Descriptor, Platform } from './descriptor.ts';
import { type Digest, digestOf } from './digest.ts';
import { parseManifest, type RawManifest } from './manifest.ts';
import { MEDIA_TYPES } from './media-types.ts';

/** One file of a layer. Owner is root and the time is zero: the same files give the same bytes. */
export interface LayerFile {
  /** Without a leading slash. */
  readonly path: string;
  readonly content: Uint8Array | string;
  readonly mode?: number | undefined;
}

export interface Blob {
  readonly descriptor: Descriptor;
  readonly bytes: Uint8Array;
}

export interface BuiltLayer extends Blob {
  /** Digest of the layer before it was compressed. */
  readonly diffId: Digest;
}

/** Docker's media types or OCI's; the JSON is the same. */
export type Family = 'docker' | 'oci';

export interface ImageSpec {
  readonly layers: readonly BuiltLayer[];
  readonly platform: Platform;
  readonly family?: Family | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly command?: readonly string[] | undefined;
  readonly entrypoint?: readonly string[] | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** An image in memory: its manifest and everything the manifest names. */
export interface BuiltImage {
  readonly manifest: RawManifest;
  readonly blobs: readonly Blob[];
}

/** Children first, then the index that names them. */
export interface BuiltIndex {
  readonly manifest: RawManifest;
  readonly images: readonly BuiltImage[];
}

const EPOCH = new Date(0);
const OS_UNKNOWN = 255;
const CREATED = '1970-01-01T00:00:00Z';

/** A gzip layer of these files, in order. Folders on the way are added. */
export async function buildLayer(
  files: readonly LayerFile[],
  family: Family = 'oci',
): Promise<BuiltLayer> {
  const tar = await tarOf(files);
  const bytes = gzipSync(tar);
  // zlib notes the machine's system here; the bytes must not depend on it.
  bytes[9] = OS_UNKNOWN;
  const mediaType = family === 'oci' ? MEDIA_TYPES.ociLayerGzip : MEDIA_TYPES.dockerLayerGzip;
  return { ...blobOf(mediaType, bytes), diffId: digestOf(tar) };
}

/** An uncompressed tar of these files that depends on nothing but them. */
async function tarOf(files: readonly LayerFile[]): Promise<Buffer> {
  const archive = pack();
  const chunks: Buffer[] = [];
  const collected = (async () => {
    for await (const chunk of archive) chunks.push(chunk as Buffer);
  })();
  const common = { mtime: EPOCH, uid: 0, gid: 0 };
  const folders = new Set<string>();
  for (const file of files) {
    for (const folder of foldersOf(file.path)) {
      if (folders.has(folder)) continue;
      folders.add(folder);
      archive.entry({ ...common, name: `${folder}/`, type: 'directory', mode: 0o755 });
    }
    const content = Buffer.from(file.content as Uint8Array);
    archive.entry(
      { ...common, name: file.path, mode: file.mode ?? 0o644, size: content.length },
      content,
    );
  }
  archive.finalize();
  await collected;
  return Buffer.concat(chunks);
}

function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

export function buildImage(spec: ImageSpec): BuiltImage {
  const family = spec.family ?? 'oci';
  const configType = family === 'oci' ? MEDIA_TYPES.ociConfig : MEDIA_TYPES.dockerConfig;
  const config = blobOf(configType, jsonBytes(configOf(spec)));
  const manifestType = family === 'oci' ? MEDIA_TYPES.ociManifest : MEDIA_TYPES.dockerManifest;
  const bytes = jsonBytes({
    schemaVersion: 2,
    mediaType: manifestType,
    config: config.descriptor,
    layers: spec.layers.map((layer) => layer.descriptor),
    ...(spec.annotations ? { annotations: spec.annotations } : {}),
  });
  return { manifest: parseManifest(bytes, manifestType), blobs: [config, ...spec.layers] };
}

function configOf(spec: ImageSpec): object {
  return {
    created: CREATED,
    architecture: spec.platform.architecture,
    ...(spec.platform.variant ? { variant: spec.platform.variant } : {}),
    os: spec.platform.os,
    config: {
      ...(spec.entrypoint ? { Entrypoint: spec.entrypoint } : {}),
      ...(spec.command ? { Cmd: spec.command } : {}),
      ...(spec.labels ? { Labels: spec.labels } : {}),
    },
    rootfs: { type: 'layers', diff_ids: spec.layers.map((layer) => layer.diffId) },
    history: spec.layers.map(() => ({ created: CREATED, created_by: 'atoll' })),
  };
}

/** One index over images of several platforms. */
export function buildIndex(
  images: readonly { readonly image: BuiltImage; readonly platform: Platform }[],
  family: Family = 'oci',
): BuiltIndex {
  const mediaType = family === 'oci' ? MEDIA_TYPES.ociIndex : MEDIA_TYPES.dockerList;
  const manifests = images.map(({ image, platform }) => ({
    ...image.manifest.descriptor,
    platform,
  }));
  const bytes = jsonBytes({ schemaVersion: 2, mediaType, manifests });
  return { manifest: parseManifest(bytes, mediaType), images: images.map(({ image }) => image) };
}

/** An artifact such as a signature: layers of any type under an image manifest. */
export function buildArtifact(layers: readonly Blob[], config: unknown = {}): BuiltImage {
  const configBlob = blobOf(MEDIA_TYPES.ociConfig, jsonBytes(config));
  const bytes = jsonBytes({
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociManifest,
    config: configBlob.descriptor,
    layers: layers.map((layer) => layer.descriptor),
  });
  return {
    manifest: parseManifest(bytes, MEDIA_TYPES.ociManifest),
    blobs: [configBlob, ...layers],
  };
}

export function blobOf(mediaType: string, bytes: Uint8Array): Blob {
  return { descriptor: { mediaType, digest: digestOf(bytes), size: bytes.length }, bytes };
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** Puts an image, or an index with its images, where `target` is. */
export async function putBuilt(
  ctx: Context,
  target: Target,
  built: BuiltImage | BuiltIndex,
  tag?: string,
): Promise<void> {
  if ('images' in built) {
    for (const image of built.images) await putBuilt(ctx, target, image);
  } else {
    for (const { descriptor, bytes } of built.blobs) {
      if (!(await target.has(ctx, descriptor))) await target.putBlob(ctx, descriptor, once(bytes));
    }
  }
  await target.putManifest(ctx, built.manifest, tag);
}
