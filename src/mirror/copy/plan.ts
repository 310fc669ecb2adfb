import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import type {
  DestinationRepository,
  MountCandidate,
  SourceRepository,
} from './copy-repositories.ts';
import type { ImageJob } from './job.ts';

/** One blob for one registry or store, and the repositories that can give it. */
export interface PlannedBlob {
  readonly descriptor: Descriptor;
  /** At most a few, each another repository; the first is asked first. */
  readonly sources: SourceRepository[];
  /** Another repository of the group that has it, in an image which is complete there. */
  candidate: MountCandidate | undefined;
}

/** One manifest, with what has to be at the target before it. */
export interface ManifestNode {
  readonly descriptor: Descriptor;
  /** At the target already, with all below it; then the rest is empty. */
  readonly present: boolean;
  readonly children: readonly ManifestNode[];
  readonly blobs: readonly PlannedBlob[];
}

/** A manifest and the tags it still has to get. */
export interface PlannedTree {
  readonly node: ManifestNode;
  readonly tags: readonly string[];
}

export interface ImagePlan {
  readonly job: ImageJob;
  readonly from: SourceRepository;
  readonly to: DestinationRepository;
  readonly root: PlannedTree;
  readonly attachments: readonly PlannedTree[];
}

/** Every node of a tree, parents first. */
export function nodesOf(node: ManifestNode): readonly ManifestNode[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

export function treesOf(plan: ImagePlan): readonly PlannedTree[] {
  return [plan.root, ...plan.attachments];
}

/** Nothing to move and no tag to set. */
export function isDone(plan: ImagePlan): boolean {
  return treesOf(plan).every(
    ({ node, tags }) => tags.length === 0 && nodesOf(node).every(({ present }) => present),
  );
}

/** Distinct blobs of an image that may have to be moved. */
export function blobsOf(plan: ImagePlan): ReadonlySet<PlannedBlob> {
  return new Set(treesOf(plan).flatMap(({ node }) => nodesOf(node).flatMap((each) => each.blobs)));
}

/** Distinct bytes of an image; undefined where it was there and its manifest was not read. */
export function sizeOf(plan: ImagePlan): number | undefined {
  const nodes = nodesOf(plan.root.node);
  if (plan.root.node.present && nodes.length === 1) return undefined;
  const sizes = new Map<Digest, number>();
  for (const node of nodes) {
    for (const { descriptor } of [node, ...node.blobs])
      sizes.set(descriptor.digest, descriptor.size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
