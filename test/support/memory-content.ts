import { AtollError } from '../../src/core/errors.ts';
import type {
  RepositoryLocation,
  Source,
  SourceAbilities,
  Target,
  TargetAbilities,
} from '../../src/oci/content.ts';
import type { Descriptor, Platform } from '../../src/oci/descriptor.ts';
import { type Digest, digestOf } from '../../src/oci/digest.ts';
import { parseManifest, type RawManifest } from '../../src/oci/manifest.ts';
import { isManifestType, MEDIA_TYPES } from '../../src/oci/media-types.ts';
import { verified } from '../../src/oci/verify.ts';

/** A registry in memory: repositories that can be read, written and told to misbehave. */
export class MemoryRegistry {
  readonly repositories = new Map<string, MemoryRepository>();
  /** Every call in order: `put lib/a sha256:…`. */
  readonly calls: string[] = [];
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  repository(path: string): MemoryRepository {
    const known = this.repositories.get(path);
    if (known) return known;
    const made = new MemoryRepository(this, path);
    this.repositories.set(path, made);
    return made;
  }

  count(verb: string): number {
    return this.calls.filter((call) => call.startsWith(`${verb} `)).length;
  }
}

type Hook = (operation: string, digest: string) => void | Promise<void>;

export class MemoryRepository implements Source, Target {
  /** Tests take abilities away, or add some. */
  can: SourceAbilities & TargetAbilities = {
    find: (ctx, tagOrDigest) => this.find(ctx, tagOrDigest),
    tags: () => this.tags(),
    referrers: (ctx, subject) => this.referrers(ctx, subject),
    read: this,
    mount: (ctx, blob, from) => this.mount(ctx, blob, from),
  };
  readonly blobs = new Map<string, Uint8Array>();
  readonly manifests = new Map<string, RawManifest>();
  readonly tagged = new Map<string, Digest>();
  readonly location: RepositoryLocation;
  /** Called before each operation; may throw. */
  hook: Hook = () => undefined;
  /** Whether an index may name images that are not here. */
  acceptsSparse = false;
  readonly #home: MemoryRegistry;

  constructor(home: MemoryRegistry, path: string) {
    this.#home = home;
    this.location = { registry: home.name, repository: path };
  }

  async #call(operation: string, subject: string): Promise<void> {
    this.#home.calls.push(`${operation} ${this.location.repository} ${subject}`);
    await this.hook(operation, subject);
  }

  async resolve(_ctx: unknown, tagOrDigest: string): Promise<Descriptor | undefined> {
    await this.#call('resolve', tagOrDigest);
    return this.#named(tagOrDigest)?.descriptor;
  }

  #named(tagOrDigest: string): RawManifest | undefined {
    return this.manifests.get(this.tagged.get(tagOrDigest) ?? tagOrDigest);
  }

  async find(_ctx: unknown, tagOrDigest: string): Promise<RawManifest | undefined> {
    await this.#call('find', tagOrDigest);
    return this.#named(tagOrDigest);
  }

  async manifest(_ctx: unknown, { digest }: Descriptor): Promise<RawManifest> {
    await this.#call('read', digest);
    const found = this.manifests.get(digest);
    if (!found) throw new AtollError('IMAGE_UNKNOWN', `No manifest ${digest}`);
    return found;
  }

  async *blob(_ctx: unknown, { digest }: Descriptor, offset = 0): AsyncGenerator<Uint8Array> {
    await this.#call('get', digest);
    const bytes = this.blobs.get(digest);
    if (!bytes) throw new AtollError('CONTENT_MISSING', `No blob ${digest}`);
    for (let at = offset; at < bytes.length; at += 1024) yield bytes.subarray(at, at + 1024);
  }

  async has(_ctx: unknown, { digest, mediaType }: Descriptor): Promise<boolean> {
    await this.#call('has', digest);
    return isManifestType(mediaType) ? this.manifests.has(digest) : this.blobs.has(digest);
  }

  async putBlob(_ctx: unknown, blob: Descriptor, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#call('put', blob.digest);
    const parts: Uint8Array[] = [];
    for await (const chunk of verified(blob, chunks)) parts.push(chunk);
    this.blobs.set(blob.digest, Buffer.concat(parts));
  }

  async mount(_ctx: unknown, { digest }: Descriptor, from: string): Promise<boolean> {
    await this.#call('mount', digest);
    const bytes = this.#home.repositories.get(from)?.blobs.get(digest);
    if (bytes) this.blobs.set(digest, bytes);
    return bytes !== undefined;
  }

  async putManifest(_ctx: unknown, manifest: RawManifest, tag?: string): Promise<void> {
    await this.#call('putManifest', tag ?? manifest.descriptor.digest);
    for (const child of manifest.children) this.#requireChild(child);
    this.manifests.set(manifest.descriptor.digest, manifest);
    if (tag !== undefined) this.tagged.set(tag, manifest.descriptor.digest);
  }

  #requireChild({ digest, mediaType }: Descriptor): void {
    const isManifest = isManifestType(mediaType);
    const there = isManifest ? this.manifests.has(digest) : this.blobs.has(digest);
    if (!there && !(isManifest && this.acceptsSparse))
      throw new AtollError('CONTENT_MISSING', `The child ${digest} is unknown`);
  }

  async *tags(): AsyncGenerator<string> {
    await this.#call('tags', '');
    yield* [...this.tagged.keys()].toSorted();
  }

  async referrers(_ctx: unknown, subject: Digest): Promise<readonly Descriptor[]> {
    await this.#call('referrers', subject);
    return [...this.manifests.values()]
      .filter((manifest) => manifest.subject?.digest === subject)
      .map((manifest) => manifest.descriptor);
  }

  // What follows fills a repository, without being counted as a call.

  addBlob(bytes: Uint8Array | string, mediaType: string = MEDIA_TYPES.ociLayerGzip): Descriptor {
    const content = Buffer.from(bytes);
    const digest = digestOf(content);
    this.blobs.set(digest, content);
    return { mediaType, digest, size: content.length };
  }

  add(json: object, tag?: string): Descriptor {
    const manifest = parseManifest(Buffer.from(JSON.stringify(json)));
    this.manifests.set(manifest.descriptor.digest, manifest);
    if (tag !== undefined) this.tagged.set(tag, manifest.descriptor.digest);
    return manifest.descriptor;
  }

  addImage(layers: readonly string[], tag?: string, extra: object = {}): Descriptor {
    const config = this.addBlob(JSON.stringify({ layers }), MEDIA_TYPES.ociConfig);
    const described = layers.map((layer) => this.addBlob(layer));
    const mediaType = MEDIA_TYPES.ociManifest;
    return this.add({ schemaVersion: 2, mediaType, config, layers: described, ...extra }, tag);
  }

  addIndex(children: readonly Descriptor[], tag?: string): Descriptor {
    const mediaType = MEDIA_TYPES.ociIndex;
    return this.add({ schemaVersion: 2, mediaType, manifests: children }, tag);
  }
}

/** A descriptor as an index holds it. */
export function forPlatform(descriptor: Descriptor, architecture: string): Descriptor {
  const platform: Platform = { os: 'linux', architecture };
  return { ...descriptor, platform };
}
