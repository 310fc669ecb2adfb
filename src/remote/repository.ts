import type { Context } from '../core/context.ts';
import {
  type BlobDownload,
  type BulkSource,
  bulkSourceOf,
  type Transfer,
  type TransferOptions,
} from '../oci/bulk.ts';
import {
  type KnownTags,
  type RepositoryLocation,
  type Source,
  sourceAbilities,
} from '../oci/content.ts';
import type { Descriptor } from '../oci/descriptor.ts';
import type { Digest } from '../oci/digest.ts';
import type { RawManifest } from '../oci/manifest.ts';
import { isManifestType } from '../oci/media-types.ts';
import { verified } from '../oci/verify.ts';
import type { RegistryClient } from './client/registry-client.ts';
import { hasBlob, mountBlob, removeBlob } from './ops/blobs.ts';
import { iterate, openDownload } from './ops/download.ts';
import { listTags } from './ops/lists.ts';
import {
  findManifest,
  readManifest,
  removeManifest,
  resolveManifest,
  resolveWhole,
  writeManifest,
} from './ops/manifests.ts';
import { addToFallback, listReferrers } from './ops/referrers.ts';
import type { RepositoryClient } from './ops/repository-client.ts';
import { upload } from './ops/uploads/upload.ts';
import type { Repository } from './registries.ts';

/** Blobs up to this size are held in memory while they are sent, so that they can be sent again. */
const SMALL_BYTES = 1024 * 1024;

/** One repository, exactly there. The client is made on first use. */
export class RemoteRepository implements Repository {
  readonly registry: string;
  readonly repository: string;
  readonly can: Repository['can'];
  readonly #client: () => Promise<RegistryClient>;
  readonly #verify: boolean;

  /** `verify`: an image counts as there when each of its blobs is, also where that takes a question each. */
  constructor(
    registry: string,
    repository: string,
    client: () => Promise<RegistryClient>,
    verify = false,
  ) {
    this.registry = registry;
    this.repository = repository;
    this.#client = client;
    this.#verify = verify;
    this.can = {
      ...sourceAbilities(this),
      read: this.#wholeImages(),
      mount: (ctx, blob, from) => this.mount(ctx, blob, from),
      putBlobFrom: (ctx, blob, from, options) => this.putBlobFrom(ctx, blob, from, options),
    };
  }

  get location(): RepositoryLocation {
    return { registry: this.registry, repository: this.repository };
  }

  async resolve(ctx: Context, tagOrDigest: string): Promise<Descriptor | undefined> {
    return await resolveManifest(ctx, await this.#repo(), tagOrDigest);
  }

  async find(ctx: Context, tagOrDigest: string): Promise<RawManifest | undefined> {
    return await findManifest(ctx, await this.#repo(), tagOrDigest);
  }

  async manifest(ctx: Context, descriptor: Descriptor): Promise<RawManifest> {
    return await readManifest(ctx, await this.#repo(), descriptor);
  }

  async *blob(ctx: Context, descriptor: Descriptor, offset = 0): AsyncGenerator<Uint8Array> {
    yield* iterate(ctx, await this.openBlob(ctx, descriptor, offset));
  }

  async openBlob(ctx: Context, blob: Descriptor, offset = 0): Promise<BlobDownload> {
    return await openDownload(ctx, await this.#repo(), blob, offset);
  }

  async has(ctx: Context, descriptor: Descriptor): Promise<boolean> {
    const repo = await this.#repo();
    return isManifestType(descriptor.mediaType)
      ? (await resolveWhole(ctx, repo, descriptor.digest, this.#verify)) !== undefined
      : await hasBlob(ctx, repo, descriptor);
  }

  async putBlob(ctx: Context, blob: Descriptor, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const repo = await this.#repo();
    if (blob.size > SMALL_BYTES) {
      await upload(ctx, repo, blob, bulkSourceOf({ blob: () => chunks }), { once: true });
      return;
    }
    const bytes: Uint8Array[] = [];
    for await (const chunk of verified(blob, chunks)) bytes.push(chunk);
    await upload(ctx, repo, blob, bulkSourceOf({ blob: (_ctx, _blob, at) => slice(bytes, at) }));
  }

  async putBlobFrom(
    ctx: Context,
    blob: Descriptor,
    from: BulkSource,
    options: TransferOptions = {},
  ): Promise<Transfer> {
    return await upload(ctx, await this.#repo(), blob, from, options);
  }

  async putManifest(ctx: Context, manifest: RawManifest, tag?: string): Promise<void> {
    const repo = await this.#repo();
    const attached = await writeManifest(ctx, repo, manifest, tag);
    if (!manifest.subject || attached) return;
    await addToFallback(ctx, repo, manifest, manifest.subject.digest);
  }

  async mount(ctx: Context, blob: Descriptor, fromRepository: string): Promise<boolean> {
    return await mountBlob(ctx, await this.#repo(), blob, fromRepository);
  }

  async referrers(ctx: Context, subject: Digest, tags?: KnownTags): Promise<readonly Descriptor[]> {
    return await listReferrers(ctx, await this.#repo(), subject, tags);
  }

  async *tags(ctx: Context): AsyncGenerator<string> {
    yield* listTags(ctx, await this.#repo());
  }

  async remove(ctx: Context, tagOrDigest: string): Promise<boolean> {
    return await removeManifest(ctx, await this.#repo(), tagOrDigest);
  }

  async removeBlob(ctx: Context, digest: Digest): Promise<boolean> {
    return await removeBlob(ctx, await this.#repo(), digest);
  }

  /** What a target shows of itself: its tags count only for images that are whole, others come again. */
  #wholeImages(): Source {
    return {
      resolve: async (ctx, tagOrDigest) =>
        await resolveWhole(ctx, await this.#repo(), tagOrDigest, this.#verify),
      manifest: (ctx, descriptor) => this.manifest(ctx, descriptor),
      blob: (ctx, descriptor, offset) => this.blob(ctx, descriptor, offset),
      location: this.location,
      can: sourceAbilities(this),
    };
  }

  async #repo(): Promise<RepositoryClient> {
    return { client: await this.#client(), repository: this.repository };
  }
}

async function* slice(chunks: readonly Uint8Array[], offset = 0): AsyncGenerator<Uint8Array> {
  yield Buffer.concat(chunks).subarray(offset);
}
