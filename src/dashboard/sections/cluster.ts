import { KINDS } from '../../cluster/api/kinds.ts';
import { conditionOf, type KubeObject } from '../../cluster/api/object.ts';
import { withCluster } from '../../cluster/connect.ts';
import { partOf } from '../../cluster/parts.ts';
import type { Context } from '../../core/context.ts';
import { exists } from '../../core/files.ts';
import { NO_RETRY } from '../../core/retry.ts';
import type { ClusterData } from '../model/page-data.ts';
import type { PartHistory } from '../model/run-state.ts';

const MAX_HISTORY = 60;
const ASK_MS = 4000;

/** How parts of a cluster stood, as far as they were seen: what one page saw, the next one shows. */
export class ClusterWatch {
  readonly #seen = new Map<string, PartHistory['history']>();

  /** From the cluster itself where it answers, else from what logs hold of it. */
  async read(
    ctx: Context,
    kubeconfig: string | undefined,
    logged: readonly KubeObject[],
  ): Promise<ClusterData | undefined> {
    const asked = await askCluster(ctx, kubeconfig).catch(() => undefined);
    const objects = asked ?? logged;
    if (objects.length === 0) return undefined;
    const version = objects.find(({ kind }) => kind === 'ClusterVersion');
    return {
      at: ctx.now().toISOString(),
      from: asked ? 'api' : 'logs',
      progress: (version && conditionOf(version, 'Progressing')?.message) ?? '',
      parts: objects.flatMap((object) => this.#part(ctx, object) ?? []),
    };
  }

  #part(ctx: Context, object: KubeObject): PartHistory | undefined {
    const part = partOf(object);
    if (!part) return undefined;
    const { kind, name, state, message } = part;
    const key = `${kind} ${name}`;
    const kept = this.#seen.get(key) ?? [];
    if (kept.at(-1)?.state !== state)
      kept.push({ at: sinceOf(object, state) ?? ctx.now().toISOString(), state });
    this.#seen.set(key, kept.slice(-MAX_HISTORY));
    return { kind, name, message, history: [...kept] };
  }
}

async function askCluster(
  ctx: Context,
  kubeconfig: string | undefined,
): Promise<readonly KubeObject[] | undefined> {
  if (kubeconfig === undefined || !(await exists(kubeconfig))) return undefined;
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(ASK_MS)]);
  const hurried = { ...ctx, signal };
  const { clusterVersion, clusterOperator, node, certificateRequest, pod } = KINDS;
  return await withCluster(hurried, { kubeconfig, retry: NO_RETRY }, async (resources) => {
    const lists = await Promise.all([
      ...[clusterVersion, clusterOperator, node, certificateRequest].map((kind) =>
        resources.list(hurried, kind),
      ),
      resources.list(hurried, pod, { namespace: 'openshift-etcd' }),
    ]);
    return lists.flatMap(({ objects }) => objects);
  });
}

/** Since when an operator is as it is; requests are since they were made. */
function sinceOf(object: KubeObject, state: string): string | undefined {
  const type = { degraded: 'Degraded', progressing: 'Progressing' }[state] ?? 'Available';
  const { creationTimestamp } = object.metadata as { readonly creationTimestamp?: string };
  return object.kind === 'ClusterOperator'
    ? conditionOf(object, type)?.lastTransitionTime
    : creationTimestamp;
}
