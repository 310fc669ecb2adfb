import { by } from '../../core/order.ts';
import { clusterObject } from '../cluster-object.ts';
import { objectName } from '../dns-name.ts';

/** An object the cluster version operator shall leave alone. */
export interface ComponentOverride {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for objects of the whole cluster. */
  readonly namespace: string;
}

export interface ClusterVersionPatchInput {
  readonly overrides?: readonly ComponentOverride[] | undefined;
  /** URL of the update service inside, such as `https://…/api/upgrades_info/v1/graph`. */
  readonly upstream?: string | undefined;
  readonly channel?: string | undefined;
  /** Where the cluster finds signatures of releases instead of on the internet, such as its update service. */
  readonly signatureStores?: readonly SignatureStore[] | undefined;
}

export interface SignatureStore {
  readonly url: string;
  /** ConfigMap in `openshift-config` with the CA of the store. */
  readonly ca?: string | undefined;
}

/** A merge patch for `clusterversion/version`. A list of overrides replaces the one that is there. */
export function clusterVersionPatch(input: ClusterVersionPatchInput): {
  readonly spec: Readonly<Record<string, unknown>>;
} {
  // The API server refuses a list with the same object twice.
  const once = input.overrides && new Map(input.overrides.map((one) => [keyOf(one), one])).values();
  const overrides =
    once &&
    [...once]
      .map(({ group, kind, name, namespace }) => ({
        group,
        kind,
        name,
        namespace,
        unmanaged: true,
      }))
      .toSorted(by(keyOf));
  return {
    spec: {
      ...(input.channel === undefined ? {} : { channel: input.channel }),
      ...(input.upstream === undefined ? {} : { upstream: input.upstream }),
      ...(overrides === undefined ? {} : { overrides }),
      ...(input.signatureStores === undefined
        ? {}
        : {
            signatureStores: input.signatureStores.map(({ url, ca }) => ({
              url,
              ...(ca === undefined ? {} : { ca: { name: ca } }),
            })),
          }),
    },
  };
}

const keyOf = (override: ComponentOverride): string =>
  [override.group, override.kind, override.namespace, override.name].join('/');

export interface UpdateServiceInput {
  /** Repository of the mirror that holds only release images. */
  readonly releases: string;
  readonly graphDataImage: string;
  readonly name?: string | undefined;
  readonly replicas?: number | undefined;
}

/** The update graph, served inside from a mirrored image. */
export function updateService(input: UpdateServiceInput) {
  const { releases, graphDataImage, replicas = 2 } = input;
  const name = objectName('an UpdateService', input.name ?? 'update-service');
  const metadata = { name, namespace: 'openshift-update-service' };
  const spec = { replicas, releases, graphDataImage };
  return clusterObject('updateservice.operator.openshift.io/v1', 'UpdateService', metadata, spec);
}
