import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { createPool, type Pool } from '../../core/pool.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { isIndexType } from '../../oci/media-types.ts';
import type { Account, BlobMover } from './blob-mover.ts';
import { isRootTarget } from './capabilities.ts';
import type { ManifestShelf } from './manifest-shelf.ts';
import type { Place } from './place.ts';
import { type ImagePlan, type ManifestNode, type PlannedTree, treesOf } from './plan.ts';

/** Manifests on their way to one target at once. */
const MANIFESTS_AT_ONCE = 16;

/** Puts images together at the target: blobs, then manifests, then indexes, then tags. */
export class ImageCopier {
  readonly #ctx: Context;
  readonly #mover: BlobMover;
  readonly #shelf: ManifestShelf;
  readonly #pool: Pool;
  readonly #put = new Map<string, Promise<void>>();

  constructor(ctx: Context, mover: BlobMover, shelf: ManifestShelf) {
    this.#ctx = ctx;
    this.#mover = mover;
    this.#shelf = shelf;
    this.#pool = createPool(ctx, MANIFESTS_AT_ONCE);
  }

  /** Copies the image, then what belongs to it. */
  async copy(plan: ImagePlan, account: Account): Promise<void> {
    for (const tree of treesOf(plan)) await this.#tree(plan, tree, account);
    await this.nameRoot(plan);
  }

  /** Says what the image is where that is kept apart. Harmless when it is known already. */
  async nameRoot({ job, place, root }: ImagePlan): Promise<void> {
    if (!isRootTarget(place.target)) return;
    const names = job.tags.length > 0 ? root.tags : [undefined];
    for (const name of names) await place.target.setRoot(this.#ctx, root.node.descriptor, name);
  }

  async #tree(plan: ImagePlan, { node, tags }: PlannedTree, account: Account): Promise<void> {
    const isRoot = node === plan.root.node;
    const named = isRoot && isRootTarget(plan.place.target) ? [] : tags;
    const [first, ...others] = named;
    await this.#node(plan, node, account, first);
    for (const tag of others) await this.#putManifest(plan, node, tag);
    this.#shelf.drop(node.descriptor.digest);
  }

  /** All below it first, so that no reader ever meets a manifest whose parts are missing. */
  async #node(plan: ImagePlan, node: ManifestNode, account: Account, tag?: string): Promise<void> {
    await Promise.all([
      ...node.children.map((child) => this.#node(plan, child, account)),
      ...node.blobs.map((blob) => this.#mover.ensure(plan.place, blob, account)),
    ]);
    if (tag !== undefined) await this.#putComplete(plan, node, tag, account);
    else if (!node.present) await this.#putOnce(plan, node, account);
  }

  /** An image that several indexes contain is put once. */
  #putOnce(plan: ImagePlan, node: ManifestNode, account: Account): Promise<void> {
    const key = keyOf(plan.place, node);
    const known = this.#put.get(key);
    if (known) return known;
    const put = this.#putComplete(plan, node, undefined, account);
    this.#put.set(key, put);
    put.catch(() => this.#put.delete(key));
    return put;
  }

  async #putManifest(plan: ImagePlan, node: ManifestNode, tag: string | undefined): Promise<void> {
    await this.#pool.run(plan.place.group, async () => {
      const manifest = await this.#read(plan, node);
      await plan.place.target.putManifest(this.#ctx, manifest, tag);
    });
  }

  /** A target may have lost a blob it said it has, to garbage collection perhaps: then it goes again. */
  async #putComplete(
    plan: ImagePlan,
    node: ManifestNode,
    tag: string | undefined,
    account: Account,
  ): Promise<void> {
    try {
      await this.#putManifest(plan, node, tag);
    } catch (error) {
      if (!isContentMissing(error)) throw error;
      if (isSparse(plan, node)) throw sparseRefused(plan, error);
      if (node.blobs.length === 0) throw error;
      await Promise.all(node.blobs.map((blob) => this.#mover.resend(plan.place, blob, account)));
      await this.#putManifest(plan, node, tag);
    }
  }

  async #read(plan: ImagePlan, { descriptor }: ManifestNode): Promise<RawManifest> {
    return (
      this.#shelf.get(descriptor) ?? (await plan.origin.source.manifest(this.#ctx, descriptor))
    );
  }
}

function keyOf(place: Place, { descriptor }: ManifestNode): string {
  return `${place.key}@${descriptor.digest}`;
}

function isContentMissing(error: unknown): error is AtollError {
  return error instanceof AtollError && error.code === 'CONTENT_MISSING';
}

function isSparse({ job, root }: ImagePlan, node: ManifestNode): boolean {
  return job.shape === 'sparse' && node === root.node && isIndexType(node.descriptor.mediaType);
}

function sparseRefused({ job }: ImagePlan, cause: AtollError): AtollError {
  return new AtollError(
    'REGISTRY_REFUSED',
    `Cannot put a sparse index at ${job.to}: the registry wants every platform of it`,
    {
      hint: 'Copy all platforms, or one platform without its index; the embedded registry takes sparse ones',
      details: cause.details,
      cause,
    },
  );
}
