import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { createPool, type Pool } from '../../core/pool.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { isIndexType } from '../../oci/media-types.ts';
import type { BlobMover, ImageBytes } from './blob-mover.ts';
import type { ManifestCache } from './manifest-cache.ts';
import { type ImagePlan, type ManifestNode, type PlannedTree, treesOf } from './plan.ts';

/** Manifests on their way to one target at once. */
const MANIFESTS_AT_ONCE = 16;

/** Puts images together at the target: blobs, then manifests, then indexes, then tags. */
export class ImageCopier {
  readonly #ctx: Context;
  readonly #mover: BlobMover;
  readonly #cache: ManifestCache;
  readonly #pool: Pool;
  readonly #put = new Map<string, Promise<void>>();

  constructor(ctx: Context, mover: BlobMover, cache: ManifestCache) {
    this.#ctx = ctx;
    this.#mover = mover;
    this.#cache = cache;
    this.#pool = createPool(ctx, MANIFESTS_AT_ONCE);
  }

  /** Copies the image, then what belongs to it. */
  async copy(plan: ImagePlan, bytes: ImageBytes): Promise<void> {
    for (const tree of treesOf(plan)) await this.#tree(plan, tree, bytes);
    await this.nameRoot(plan);
  }

  /** Says what the image is where that is kept apart. Harmless when it is known already. */
  async nameRoot({ job, to, root }: ImagePlan): Promise<void> {
    const { setRoot } = to.target.can;
    if (!setRoot) return;
    const names = job.tags.length > 0 ? root.tags : [undefined];
    for (const name of names) await setRoot(this.#ctx, root.node.descriptor, name);
  }

  async #tree(plan: ImagePlan, { node, tags }: PlannedTree, bytes: ImageBytes): Promise<void> {
    const isRoot = node === plan.root.node;
    const named = isRoot && plan.to.target.can.setRoot ? [] : tags;
    const [first, ...others] = named;
    await this.#node(plan, node, bytes, first);
    for (const tag of others) await this.#putManifest(plan, node, tag);
    this.#cache.drop(node.descriptor.digest);
  }

  /** All below it first, so that no reader ever meets a manifest whose parts are missing. */
  async #node(plan: ImagePlan, node: ManifestNode, bytes: ImageBytes, tag?: string): Promise<void> {
    await Promise.all([
      ...node.children.map((child) => this.#node(plan, child, bytes)),
      ...node.blobs.map((blob) => this.#mover.ensure({ to: plan.to, blob, bytes })),
    ]);
    if (tag !== undefined) await this.#putComplete(plan, node, tag, bytes);
    else if (!node.present) await this.#putOnce(plan, node, bytes);
  }

  /** An image that several indexes contain is put once. */
  #putOnce(plan: ImagePlan, node: ManifestNode, bytes: ImageBytes): Promise<void> {
    const key = `${plan.to.key}@${node.descriptor.digest}`;
    const known = this.#put.get(key);
    if (known) return known;
    const put = this.#putComplete(plan, node, undefined, bytes);
    this.#put.set(key, put);
    put.catch(() => this.#put.delete(key));
    return put;
  }

  async #putManifest(plan: ImagePlan, node: ManifestNode, tag: string | undefined): Promise<void> {
    await this.#pool.run(plan.to.group.name, async () => {
      const manifest = await this.#read(plan, node);
      await plan.to.target.putManifest(this.#ctx, manifest, tag);
    });
  }

  /** A target may have lost a blob it said it has, to garbage collection perhaps: then it goes again. */
  async #putComplete(
    plan: ImagePlan,
    node: ManifestNode,
    tag: string | undefined,
    bytes: ImageBytes,
  ): Promise<void> {
    try {
      await this.#putManifest(plan, node, tag);
    } catch (error) {
      if (!isContentMissing(error)) throw error;
      if (isSparse(plan, node)) throw sparseRefused(plan, error);
      if (node.blobs.length === 0) throw error;
      await Promise.all(node.blobs.map((blob) => this.#mover.resend({ to: plan.to, blob, bytes })));
      await this.#putManifest(plan, node, tag);
    }
  }

  async #read(plan: ImagePlan, { descriptor }: ManifestNode): Promise<RawManifest> {
    return this.#cache.get(descriptor) ?? (await plan.from.source.manifest(this.#ctx, descriptor));
  }
}

function isContentMissing(error: unknown): error is AtollError {
  return error instanceof AtollError && error.code === 'CONTENT_MISSING';
}

function isSparse({ job, root }: ImagePlan, node: ManifestNode): boolean {
  return job.shape === 'sparse' && node === root.node && isIndexType(node.descriptor.mediaType);
}

function sparseRefused({ job }: ImagePlan, cause: AtollError): AtollError {
  return new AtollError(
    'INDEX_SPARSE_REFUSED',
    `Cannot put a sparse index at ${job.to}: the registry wants every platform of it`,
    {
      hint: 'Copy all platforms, or one platform without its index; the embedded registry takes sparse ones',
      details: cause.details,
      cause,
    },
  );
}
