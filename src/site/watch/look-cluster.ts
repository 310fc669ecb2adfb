import { KINDS } from '../../cluster/api/kinds.ts';
import { conditionOf, type KubeObject } from '../../cluster/api/object.ts';
import type { Resources } from '../../cluster/api/resources.ts';
import { stateOf } from '../../cluster/csr/certificate-request.ts';
import { type ClusterPart, partOf } from '../../cluster/parts.ts';
import { poolOf } from '../../cluster/pools.ts';
import type { Context } from '../../core/context.ts';

/** What a cluster that comes up says of itself. */
export interface ClusterLook {
  /** What the version operator is at. */
  readonly progress: string;
  readonly isInstalled: boolean;
  readonly isBootstrapped: boolean;
  readonly operators: readonly OperatorLook[];
  readonly nodes: readonly { readonly name: string; readonly ready: boolean }[];
  /** Requests for certificates that nobody has granted. */
  readonly pending: readonly string[];
  readonly stuckPools: readonly { readonly name: string; readonly why: string }[];
  /** All that is told when it changes. */
  readonly parts: readonly ClusterPart[];
}

export interface OperatorLook {
  readonly name: string;
  readonly settled: boolean;
  /** Why it is degraded, in its words. */
  readonly degraded: string | undefined;
}

/** Looks once. Kinds that the API does not know yet are simply not there. */
export async function lookAtCluster(ctx: Context, resources: Resources): Promise<ClusterLook> {
  const list = async (kind: (typeof KINDS)[keyof typeof KINDS], within: object = {}) =>
    (await resources.list(ctx, kind, within)).objects;
  const [versions, operators, nodes, requests, pools, members] = await Promise.all([
    list(KINDS.clusterVersion),
    list(KINDS.clusterOperator),
    list(KINDS.node),
    list(KINDS.certificateRequest),
    list(KINDS.pool),
    list(KINDS.pod, { namespace: 'openshift-etcd' }),
  ]);
  const bootstrap = { ...KINDS.configMap, namespace: 'kube-system', name: 'bootstrap' };
  const map = (await resources.get(ctx, bootstrap)) as { data?: { status?: string } } | undefined;
  const progressing = versions[0] && conditionOf(versions[0], 'Progressing');
  return {
    progress: progressing?.message ?? '',
    isInstalled:
      isTrue(versions[0], 'Available') && progressing?.status === 'False' && versions.length > 0,
    isBootstrapped: map?.data?.status === 'complete',
    operators: operators.map(operatorLook),
    nodes: nodes.map((node) => ({ name: node.metadata.name, ready: isTrue(node, 'Ready') })),
    pending: requests.filter((one) => stateOf(one) === 'pending').map((one) => one.metadata.name),
    stuckPools: pools
      .map(poolOf)
      .flatMap(({ name, degraded }) => (degraded === undefined ? [] : [{ name, why: degraded }])),
    parts: [...operators, ...nodes, ...members, ...requests].flatMap((one) => partOf(one) ?? []),
  };
}

const isTrue = (object: KubeObject | undefined, type: string): boolean =>
  object !== undefined && conditionOf(object, type)?.status === 'True';

function operatorLook(object: KubeObject): OperatorLook {
  const degraded = conditionOf(object, 'Degraded');
  const isDegraded = degraded?.status === 'True';
  const words = degraded?.message || degraded?.reason || 'it does not say why';
  return {
    name: object.metadata.name,
    settled: isTrue(object, 'Available') && !isTrue(object, 'Progressing') && !isDegraded,
    degraded: isDegraded ? words : undefined,
  };
}
