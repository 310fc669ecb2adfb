import { clusterObject } from '../cluster-object.ts';
import { objectName } from '../dns-name.ts';

export interface PinnedImagesInput {
  readonly name: string;
  /** Pools whose nodes pull the images ahead of time; one object each. */
  readonly pools: readonly string[];
  /** By digest, as the cluster names them. */
  readonly images: readonly string[];
}

/** Images that nodes pull before they need them, and keep: an update then waits for no registry. */
export function pinnedImageSets({ name, pools, images }: PinnedImagesInput) {
  const pinnedImages = [...new Set(images)].toSorted().map((image) => ({ name: image }));
  return pools.toSorted().map((pool) =>
    clusterObject(
      'machineconfiguration.openshift.io/v1',
      'PinnedImageSet',
      {
        name: objectName('a PinnedImageSet', `${pool}-${name}`),
        labels: { 'machineconfiguration.openshift.io/role': pool },
      },
      { pinnedImages },
    ),
  );
}
