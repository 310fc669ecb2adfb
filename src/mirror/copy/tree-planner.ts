import type { Context } from '../../core/context.ts';
import type { RetryPolicy } from '../../core/retry.ts';
import { bare, type Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { isIndexType, isManifestType } from '../../oci/media-types.ts';
import { refuseLoop } from '../../oci/walk.ts';
import type { Concurrency } from './concurrency.ts';
import {
  candidateInSameRegistry,
  type DestinationRepository,
  type SourceRepository,
} from './copy-repositories.ts';
import type { CopyShape, ImageJob } from './job.ts';
import type { ManifestCache } from './manifest-cache.ts';
import type { ManifestNode, PlannedBlob } from './plan.ts';
import { chosenChildren } from './platforms.ts';

export interface TreeRequest {
  readonly job: Pick<ImageJob, 'from' | 'platforms'>;
  readonly from: SourceRepository;
  readonly to: DestinationRepository;
  readonly shape: CopyShape;
  /** What was read already. */
  readonly manifest?: RawManifest | undefined;
}

/** What a run shares between its plans. */
export interface PlanTools {
  readonly cache: ManifestCache;
  readonly concurrency: Concurrency;
  readonly retry: RetryPolicy;
}

/** Reads what lies below a manifest. Images that many indexes share are looked at once. */
export class TreePlanner {
  readonly #ctx: Context;
  readonly #cache: ManifestCache;
  readonly #concurrency: Concurrency;
  readonly #maxSources: number;
  readonly #images = new Map<string, Promise<ManifestNode>>();
  readonly #blobs = new Map<string, PlannedBlob>();

  constructor(ctx: Context, { cache, concurrency, retry }: PlanTools) {
    this.#ctx = ctx;
    this.#cache = cache;
    this.#concurrency = concurrency;
    this.#maxSources = retry.sources;
  }

  /** `present` says whether the target has this manifest. */
  plan(request: TreeRequest, root: Descriptor, present: boolean): Promise<ManifestNode> {
    return isIndexType(root.mediaType)
      ? this.#index(request, root, present, [])
      : this.#image(request, root, present);
  }

  /** An index that is there may still lack children: a sparse copy has only some. */
  async #index(
    request: TreeRequest,
    descriptor: Descriptor,
    present: boolean,
    ancestors: readonly Digest[],
  ): Promise<ManifestNode> {
    refuseLoop(`copy ${request.job.from}`, descriptor, ancestors);
    const manifest = await this.#read(request, descriptor, present);
    const below = [...ancestors, descriptor.digest];
    const shape = ancestors.length === 0 ? request.shape : 'whole';
    const children = chosenChildren(manifest, request.job, shape)
      .filter(({ mediaType }) => isManifestType(mediaType))
      .map((child) => this.#child(request, child, below));
    const nodes = await Promise.all(children);
    const others = manifest.children.filter(({ mediaType }) => !isManifestType(mediaType));
    const blobs = present ? [] : others.map((blob) => this.#blob(request, blob));
    return { descriptor: bare(descriptor), present, children: nodes, blobs };
  }

  async #child(
    request: TreeRequest,
    child: Descriptor,
    ancestors: readonly Digest[],
  ): Promise<ManifestNode> {
    refuseLoop(`copy ${request.job.from}`, child, ancestors);
    const present = await this.#isThere(request, child);
    return isIndexType(child.mediaType)
      ? await this.#index(request, child, present, ancestors)
      : await this.#image(request, child, present);
  }

  #image(request: TreeRequest, descriptor: Descriptor, present: boolean): Promise<ManifestNode> {
    if (present) {
      return Promise.resolve({ descriptor: bare(descriptor), present, children: [], blobs: [] });
    }
    const key = `${request.to.key}@${descriptor.digest}`;
    const known = this.#images.get(key);
    if (known) return known;
    const node = this.#readImage(request, descriptor);
    this.#images.set(key, node);
    // Another job may have a better source for it.
    node.catch(() => this.#images.delete(key));
    return node;
  }

  async #readImage(request: TreeRequest, descriptor: Descriptor): Promise<ManifestNode> {
    const manifest = await this.#read(request, descriptor, false);
    this.#cache.add(manifest);
    const blobs = manifest.children.map((blob) => this.#blob(request, blob));
    return { descriptor: bare(descriptor), present: false, children: [], blobs };
  }

  async #read(
    { from, to, manifest: known }: TreeRequest,
    descriptor: Descriptor,
    present: boolean,
  ): Promise<RawManifest> {
    const near = present ? to.target.can.read : undefined;
    if (near) return await near.manifest(this.#ctx, descriptor);
    const manifest =
      known?.descriptor.digest === descriptor.digest
        ? known
        : await this.#concurrency.timed(from.group, () =>
            from.source.manifest(this.#ctx, descriptor),
          );
    if (isIndexType(descriptor.mediaType) && !present) this.#cache.add(manifest);
    return manifest;
  }

  async #isThere({ to }: TreeRequest, descriptor: Descriptor): Promise<boolean> {
    return await to.target.has(this.#ctx, descriptor);
  }

  /** Digest and size together: one lying descriptor must not spoil the honest ones. */
  #blob({ from, to }: TreeRequest, descriptor: Descriptor): PlannedBlob {
    const key = `${to.group.name} ${descriptor.digest} ${descriptor.size}`;
    const known = this.#blobs.get(key);
    const candidate = candidateInSameRegistry(to, from);
    if (!known) {
      const blob = { descriptor: bare(descriptor), sources: [from], candidate };
      this.#blobs.set(key, blob);
      return blob;
    }
    known.candidate ??= candidate;
    const isNew = known.sources.every((other) => other.key !== from.key);
    if (isNew && known.sources.length < this.#maxSources) known.sources.push(from);
    return known;
  }
}
