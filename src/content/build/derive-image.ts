import type { Context } from '../../core/context.ts';
import type { BuiltLayer } from '../../oci/build-image.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import { type Digest, digestOf, isDigest } from '../../oci/digest.ts';
import {
  type ImageManifest,
  isIndex,
  parseManifest,
  type RawManifest,
} from '../../oci/manifest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { selectPlatforms } from '../../oci/platform.ts';
import { type ImageConfig, readConfig } from '../layers/image-config.ts';

export interface DerivedImage {
  readonly source: Source;
  readonly base: Descriptor;
  /** Put on top of every platform's layers. */
  readonly layers: readonly BuiltLayer[];
  /** Only these platforms of an index; undefined means all. */
  readonly platforms?: readonly Platform[] | undefined;
  /** Changes the config of every platform: command, labels. */
  readonly config: (config: ImageConfig) => ImageConfig;
  /** What made the layers, for the image's history. */
  readonly createdBy: string;
}

/** An image that was built here. Its own bytes are in memory, the base's are where they were. */
export interface RebuiltImage {
  readonly descriptor: Descriptor;
  readonly source: Source;
}

/**
 * Adds layers to an image, in each of its platforms, and keeps its family of media types. The same input
 * gives the same digest: no time, no machine, no order goes into it.
 */
export async function deriveImage(ctx: Context, derived: DerivedImage): Promise<RebuiltImage> {
  const content = new BuiltContent(derived.source);
  const root = await derived.source.manifest(ctx, derived.base);
  const descriptor = isIndex(root)
    ? await deriveIndex(ctx, derived, root, content)
    : await deriveOne(ctx, derived, root, content);
  return { descriptor, source: content };
}

async function deriveIndex(
  ctx: Context,
  derived: DerivedImage,
  index: RawManifest,
  content: BuiltContent,
): Promise<Descriptor> {
  const manifests: Descriptor[] = [];
  for (const child of imagesOf(index.children, derived.platforms)) {
    const manifest = await derived.source.manifest(ctx, child);
    const built = await deriveOne(ctx, derived, manifest, content);
    manifests.push({ ...built, ...(child.platform ? { platform: child.platform } : {}) });
  }
  const { mediaType } = index.descriptor;
  return content.addManifest({ schemaVersion: 2, mediaType, manifests }, mediaType);
}

/** Without attestations: they speak of the base's images. */
function imagesOf(
  children: readonly Descriptor[],
  platforms: readonly Platform[] | undefined,
): readonly Descriptor[] {
  if (platforms) return selectPlatforms(children, platforms);
  return children.filter(({ platform }) => platform?.os !== 'unknown');
}

async function deriveOne(
  ctx: Context,
  derived: DerivedImage,
  base: RawManifest,
  content: BuiltContent,
): Promise<Descriptor> {
  const manifest = base.content as ImageManifest;
  const { mediaType } = base.descriptor;
  const isDocker = mediaType === MEDIA_TYPES.dockerManifest;
  const layerType = isDocker ? MEDIA_TYPES.dockerLayerGzip : MEDIA_TYPES.ociLayerGzip;
  const config = withLayers(await readConfig(ctx, derived.source, manifest), derived);
  const added = derived.layers.map(({ bytes }) => content.addBlob(bytes, layerType));
  return content.addManifest(
    {
      schemaVersion: 2,
      mediaType,
      config: content.addBlob(jsonBytes(config), manifest.config.mediaType),
      layers: [...manifest.layers, ...added],
    },
    mediaType,
  );
}

function withLayers(base: ImageConfig, { layers, config, createdBy }: DerivedImage): ImageConfig {
  const edited = config(base);
  const diffIds = [...(base.rootfs?.diff_ids ?? []), ...layers.map(({ diffId }) => diffId)];
  const created = typeof base.created === 'string' ? { created: base.created } : {};
  const history = layers.map(() => ({ ...created, created_by: createdBy }));
  return {
    ...edited,
    rootfs: { type: 'layers', diff_ids: diffIds },
    history: [...(base.history ?? []), ...history],
  };
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** What was built, in memory, over the source it was built from. */
class BuiltContent implements Source {
  readonly can = {};
  readonly #base: Source;
  readonly #blobs = new Map<Digest, Uint8Array>();
  readonly #manifests = new Map<Digest, RawManifest>();

  constructor(base: Source) {
    this.#base = base;
  }

  addBlob(bytes: Uint8Array, mediaType: string): Descriptor {
    const digest = digestOf(bytes);
    this.#blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  }

  addManifest(content: object, mediaType: string): Descriptor {
    const manifest = parseManifest(Buffer.from(JSON.stringify(content)), mediaType);
    this.#manifests.set(manifest.descriptor.digest, manifest);
    return manifest.descriptor;
  }

  async resolve(ctx: Context, tagOrDigest: string): Promise<Descriptor | undefined> {
    const built = isDigest(tagOrDigest) ? this.#manifests.get(tagOrDigest) : undefined;
    return built?.descriptor ?? (await this.#base.resolve(ctx, tagOrDigest));
  }

  async manifest(ctx: Context, descriptor: Descriptor): Promise<RawManifest> {
    return this.#manifests.get(descriptor.digest) ?? (await this.#base.manifest(ctx, descriptor));
  }

  async *blob(ctx: Context, descriptor: Descriptor, offset = 0): AsyncGenerator<Uint8Array> {
    const built = this.#blobs.get(descriptor.digest);
    if (built) yield built.subarray(offset);
    else yield* this.#base.blob(ctx, descriptor, offset);
  }
}
