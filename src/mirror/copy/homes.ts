import type { Context } from '../../core/context.ts';
import { createPool } from '../../core/pool.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { isIndexType } from '../../oci/media-types.ts';
import { isSource } from './capabilities.ts';
import { homeAt, type Place } from './place.ts';
import { blobsOf, type ImagePlan, nodesOf, type PlannedBlob, treesOf } from './plan.ts';

/** Looking into an image costs a registry about as much as taking so many bytes. */
const BYTES_PER_LOOK = 256 * 1024;

/** An image that is whole at the target. */
interface Complete {
  readonly image: Descriptor;
  readonly place: Place;
  readonly source: Source;
}

/**
 * Finds out which blobs that are wanted in one repository another one has, in images of this run that
 * are complete: after an interruption, or when something new is built on a base that is there. Looks
 * only as long as that is cheaper than sending.
 */
export async function findHomes(
  ctx: Context,
  plans: readonly ImagePlan[],
  atOnce: number,
): Promise<void> {
  const pool = createPool(ctx, atOnce);
  const wanted = wantedBlobs(plans);
  const looks = [...wanted].flatMap(([group, blobs]) =>
    worthwhile(completeIn(plans, group), blobs).map((complete) =>
      pool.run(group, () => look(ctx, complete, blobs)),
    ),
  );
  await Promise.all(looks);
}

type Wanted = ReadonlyMap<string, PlannedBlob>;

/** Blobs to be moved, for each registry: elsewhere there is nothing to mount from. */
function wantedBlobs(plans: readonly ImagePlan[]): ReadonlyMap<string, Wanted> {
  const groups = new Map<string, Map<string, PlannedBlob>>();
  for (const plan of plans) {
    const { group, repository } = plan.place;
    const blobs = [...blobsOf(plan)].filter(({ home }) => home === undefined);
    if (repository === undefined || blobs.length === 0) continue;
    const wanted = groups.get(group) ?? new Map<string, PlannedBlob>();
    for (const blob of blobs) wanted.set(keyOf(blob.descriptor), blob);
    groups.set(group, wanted);
  }
  return groups;
}

function completeIn(plans: readonly ImagePlan[], group: string): readonly Complete[] {
  const found = new Map<string, Complete>();
  for (const plan of plans) {
    const { place } = plan;
    const { target } = place;
    if (place.group !== group || !isSource(target)) continue;
    for (const { descriptor, present } of treesOf(plan).flatMap(({ node }) => nodesOf(node))) {
      if (!present || isIndexType(descriptor.mediaType) || found.has(descriptor.digest)) continue;
      found.set(descriptor.digest, { image: descriptor, place, source: target });
    }
  }
  return [...found.values()];
}

/** As many as may pay; every repository has its turn, for images of one have much in common. */
function worthwhile(complete: readonly Complete[], wanted: Wanted): readonly Complete[] {
  const bytes = [...wanted.values()].reduce((sum, { descriptor }) => sum + descriptor.size, 0);
  const seen = new Map<string, number>();
  return complete
    .map((each) => {
      const turn = seen.get(each.place.key) ?? 0;
      seen.set(each.place.key, turn + 1);
      return { each, turn };
    })
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, Math.ceil(bytes / BYTES_PER_LOOK))
    .map(({ each }) => each);
}

async function look(ctx: Context, { image, place, source }: Complete, wanted: Wanted) {
  try {
    const { children } = await source.manifest(ctx, image);
    for (const child of children) {
      const blob = wanted.get(keyOf(child));
      if (blob) blob.home ??= homeAt(place);
    }
  } catch {
    // Only a short cut is lost: the blobs are asked for and moved as if nobody had looked.
    ctx.signal.throwIfAborted();
  }
}

/** Digest and size together, as everywhere: a lying descriptor must not spoil the honest ones. */
function keyOf({ digest, size }: Descriptor): string {
  return `${digest} ${size}`;
}
