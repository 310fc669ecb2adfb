import type { CollectFailure, ContentKind } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import { formatReference } from '../../oci/reference.ts';
import { isBelow } from '../destination.ts';
import type { MirroredImage } from '../image-rules.ts';
import { needKey, needsOf } from '../need.ts';
import { collectPlaced } from './collect-content.ts';
import type { SyncOptions } from './sync.ts';

interface UpstreamChange {
  readonly kind: ContentKind;
  readonly source: string;
  readonly target: string;
  readonly reason: string;
}

export interface Outdated {
  /** Not in the mirror. */
  readonly added: readonly UpstreamChange[];
  /** In the mirror as something else: upstream moved the tag, or the catalog has grown. */
  readonly changed: readonly UpstreamChange[];
  /** Releases among what is new. */
  readonly releases: readonly string[];
  readonly current: number;
  /** In the mirror, and no longer asked for. */
  readonly unwanted: number;
  readonly failures: readonly CollectFailure[];
}

/** What upstream has for an image set that the mirror does not, by the memory of the mirror. Copies nothing. */
export async function findOutdated(
  ctx: Context,
  options: Pick<SyncOptions, 'imageSet' | 'collect' | 'destination' | 'registries' | 'workingDir'>,
): Promise<Outdated> {
  const { placed, failures } = await collectPlaced(ctx, options);
  const known = (await options.workingDir.mirrored()).filter(({ target }) =>
    isBelow(options.destination, target),
  );
  const digests = new Map(known.map(({ target, digest }) => [formatReference(target), digest]));
  const digestAt = (each: MirroredImage) => digests.get(formatReference(each.target));
  const isSame = (each: MirroredImage) => {
    const wanted = each.image.digest ?? each.image.source.digest;
    return wanted === undefined || digestAt(each) === wanted;
  };
  const added = placed.filter((each) => digestAt(each) === undefined);
  const changed = placed.filter((each) => digestAt(each) !== undefined && !isSame(each));
  const needed = new Set(placed.flatMap(needsOfPlaced).map(needKey));
  return {
    added: added.map(changeOf),
    changed: changed.map(changeOf),
    releases: [
      ...new Set(
        added.flatMap(({ image }) => (image.kind === 'release' ? (image.release?.tag ?? []) : [])),
      ),
    ],
    current: placed.length - added.length - changed.length,
    unwanted: known.filter((each) => !needsOfPlaced(each).some((need) => needed.has(needKey(need))))
      .length,
    failures,
  };
}

const needsOfPlaced = ({ image, neededBy }: MirroredImage) => neededBy ?? needsOf(image);

function changeOf({ image, target }: MirroredImage): UpstreamChange {
  return {
    kind: image.kind,
    source: formatReference(image.source),
    target: formatReference(target),
    reason: image.reason,
  };
}
