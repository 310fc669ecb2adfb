import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Source } from '../../src/oci/content.ts';
import type { Descriptor, Platform } from '../../src/oci/descriptor.ts';
import { type Digest, digestOf } from '../../src/oci/digest.ts';
import { parseManifest, type RawManifest } from '../../src/oci/manifest.ts';
import { MEDIA_TYPES } from '../../src/oci/media-types.ts';

/** A file of a layer: text, or a link, or a directory. */
export interface TarFile {
  readonly name: string;
  readonly content?: string | Uint8Array;
  readonly mode?: number;
  readonly type?: 'file' | 'symlink' | 'link' | 'directory';
  readonly linkname?: string;
}

export async function tarOf(files: readonly TarFile[]): Promise<Uint8Array> {
  const tar = pack();
  for (const { name, content = '', mode = 0o644, type = 'file', linkname } of files) {
    const header = { name, mode, type, mtime: new Date(0), ...(linkname ? { linkname } : {}) };
    tar.entry(header, typeof content === 'string' ? content : Buffer.from(content));
  }
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/** Images made in a test, readable as a `Source`. */
export class MemoryImages implements Source {
  readonly can = {};
  readonly blobs = new Map<Digest, Uint8Array>();
  readonly tags = new Map<string, Descriptor>();
  /** How many times each blob was opened. */
  readonly reads = new Map<Digest, number>();

  addBlob(bytes: Uint8Array, mediaType: string): Descriptor {
    const digest = digestOf(bytes);
    this.blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  }

  async addLayer(files: readonly TarFile[]): Promise<Descriptor> {
    return this.addBlob(gzipSync(await tarOf(files)), MEDIA_TYPES.ociLayerGzip);
  }

  addManifest(content: object, mediaType: string, tag?: string): Descriptor {
    const descriptor = this.addBlob(
      Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...content })),
      mediaType,
    );
    if (tag) this.tags.set(tag, descriptor);
    return descriptor;
  }

  /** An image of these layers; `config` is merged into its config file. */
  addImage(layers: readonly Descriptor[], tag?: string, config: object = {}): Descriptor {
    const json = { architecture: 'amd64', os: 'linux', ...config };
    const blob = this.addBlob(Buffer.from(JSON.stringify(json)), MEDIA_TYPES.ociConfig);
    return this.addManifest({ config: blob, layers }, MEDIA_TYPES.ociManifest, tag);
  }

  addIndex(children: readonly (Descriptor & { platform: Platform })[], tag?: string): Descriptor {
    return this.addManifest({ manifests: children }, MEDIA_TYPES.ociIndex, tag);
  }

  async resolve(_ctx: unknown, tagOrDigest: string): Promise<Descriptor | undefined> {
    const tagged = this.tags.get(tagOrDigest);
    if (tagged) return tagged;
    const bytes = this.blobs.get(tagOrDigest as Digest);
    return bytes && parseManifest(bytes).descriptor;
  }

  async manifest(_ctx: unknown, descriptor: Descriptor): Promise<RawManifest> {
    return parseManifest(this.#bytes(descriptor), descriptor.mediaType, descriptor.digest);
  }

  async *blob(_ctx: unknown, descriptor: Descriptor, offset = 0): AsyncGenerator<Uint8Array> {
    this.reads.set(descriptor.digest, (this.reads.get(descriptor.digest) ?? 0) + 1);
    const bytes = this.#bytes(descriptor);
    // Small odd chunks, so that nobody relies on where they end.
    for (let at = offset; at < bytes.length; at += 1013) yield bytes.subarray(at, at + 1013);
  }

  #bytes(descriptor: Descriptor): Uint8Array {
    const bytes = this.blobs.get(descriptor.digest);
    if (!bytes) throw new Error(`No ${descriptor.digest} in these images`);
    return bytes;
  }
}
