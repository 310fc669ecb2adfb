import { objectName } from '../dns-name.ts';
import { byText } from '../order.ts';

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
      .toSorted((a, b) => byText(keyOf(a), keyOf(b)));
  return {
    spec: {
      ...(input.channel === undefined ? {} : { channel: input.channel }),
      ...(input.upstream === undefined ? {} : { upstream: input.upstream }),
      ...(overrides === undefined ? {} : { overrides }),
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

export interface UpdateService {
  readonly apiVersion: 'updateservice.operator.openshift.io/v1';
  readonly kind: 'UpdateService';
  readonly metadata: { readonly name: string; readonly namespace: 'openshift-update-service' };
  readonly spec: {
    readonly replicas: number;
    readonly releases: string;
    readonly graphDataImage: string;
  };
}

/** The update graph, served inside from a mirrored image. */
export function updateService(input: UpdateServiceInput): UpdateService {
  return {
    apiVersion: 'updateservice.operator.openshift.io/v1',
    kind: 'UpdateService',
    metadata: {
      name: objectName('an UpdateService', input.name ?? 'update-service'),
      namespace: 'openshift-update-service',
    },
    spec: {
      replicas: input.replicas ?? 2,
      releases: input.releases,
      graphDataImage: input.graphDataImage,
    },
  };
}
