import type { Context } from '../../core/context.ts';
import { createPool } from '../../core/pool.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { isIndexType } from '../../oci/media-types.ts';
import { type CopyGroup, candidateAt, type DestinationRepository } from './copy-repositories.ts';
import { blobsOf, type ImagePlan, nodesOf, type PlannedBlob, treesOf } from './plan.ts';

/** Looking into an image costs a registry about as much as taking so many bytes. */
const BYTES_PER_LOOK = 256 * 1024;

/** An image that is whole at the target. */
interface CompleteImage {
  readonly image: Descriptor;
  readonly to: DestinationRepository;
  readonly source: Source;
}

/**
 * Finds blobs that are missing in one repository in another one, in images of this run that are
 * complete there: after an interruption, or when something new is built on a base that is there.
 * Reads manifests only as long as that is cheaper than sending.
 */
export async function findMountCandidates(
  ctx: Context,
  plans: readonly ImagePlan[],
  atOnce: number,
): Promise<void> {
  const pool = createPool(ctx, atOnce);
  const reads = [...missingBlobs(plans)].flatMap(([group, blobs]) =>
    worthwhile(completeIn(plans, group), blobs).map((complete) =>
      pool.run(group, () => look(ctx, complete, blobs)),
    ),
  );
  await Promise.all(reads);
}

type MissingBlobs = ReadonlyMap<string, PlannedBlob>;

/** Blobs to be moved, by registry; in a store there is nothing to mount. */
function missingBlobs(plans: readonly ImagePlan[]): ReadonlyMap<CopyGroup['name'], MissingBlobs> {
  const groups = new Map<string, Map<string, PlannedBlob>>();
  for (const plan of plans) {
    const { group } = plan.to;
    const blobs = [...blobsOf(plan)].filter(({ candidate }) => candidate === undefined);
    if (group.kind === 'local' || blobs.length === 0) continue;
    const missing = groups.get(group.name) ?? new Map<string, PlannedBlob>();
    for (const blob of blobs) missing.set(keyOf(blob.descriptor), blob);
    groups.set(group.name, missing);
  }
  return groups;
}

function completeIn(plans: readonly ImagePlan[], group: string): readonly CompleteImage[] {
  const found = new Map<string, CompleteImage>();
  for (const plan of plans) {
    const { to } = plan;
    const source = to.target.can.read;
    if (to.group.name !== group || !source) continue;
    for (const { descriptor, present } of treesOf(plan).flatMap(({ node }) => nodesOf(node))) {
      if (!present || isIndexType(descriptor.mediaType) || found.has(descriptor.digest)) continue;
      found.set(descriptor.digest, { image: descriptor, to, source });
    }
  }
  return [...found.values()];
}

/** As many as may pay; repositories take turns, for images of one have much in common. */
function worthwhile(
  complete: readonly CompleteImage[],
  missing: MissingBlobs,
): readonly CompleteImage[] {
  const bytes = [...missing.values()].reduce((sum, { descriptor }) => sum + descriptor.size, 0);
  const seen = new Map<string, number>();
  return complete
    .map((each) => {
      const turn = seen.get(each.to.key) ?? 0;
      seen.set(each.to.key, turn + 1);
      return { each, turn };
    })
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, Math.ceil(bytes / BYTES_PER_LOOK))
    .map(({ each }) => each);
}

async function look(ctx: Context, { image, to, source }: CompleteImage, missing: MissingBlobs) {
  try {
    const { children } = await source.manifest(ctx, image);
    for (const child of children) {
      const blob = missing.get(keyOf(child));
      if (blob) blob.candidate ??= candidateAt(to);
    }
  } catch {
    // Only a shortcut is lost: the blobs are moved as usual.
    ctx.signal.throwIfAborted();
  }
}

/** Digest and size together, as everywhere: a lying descriptor must not spoil the honest ones. */
function keyOf({ digest, size }: Descriptor): string {
  return `${digest} ${size}`;
}
