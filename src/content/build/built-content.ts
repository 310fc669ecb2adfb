import type { Context } from '../../core/context.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, digestOf, isDigest } from '../../oci/digest.ts';
import { parseManifest, type RawManifest } from '../../oci/manifest.ts';

/** What was built, in memory, over the source it was built from. */
export class BuiltContent implements Source {
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
