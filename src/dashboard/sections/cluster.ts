import { join } from 'node:path';
import { KINDS } from '../../cluster/api/kinds.ts';
import { conditionOf, type KubeObject } from '../../cluster/api/object.ts';
import { withCluster } from '../../cluster/connect.ts';
import { stateOf } from '../../cluster/csr/certificate-request.ts';
import type { Context } from '../../core/context.ts';
import { exists } from '../../core/files.ts';
import type { ClusterData, OperatorRow, OperatorState } from '../model/page-data.ts';

const MAX_HISTORY = 60;
const ASK_MS = 4000;

/** How operators stood, as far as they were seen: what one page saw, the next one shows. */
export class ClusterWatch {
  readonly #kubeconfig: string;
  readonly #seen = new Map<string, OperatorRow['history'][number][]>();

  constructor(install: string) {
    this.#kubeconfig = join(install, 'auth', 'kubeconfig');
  }

  /** From the cluster itself where it answers, else from what logs hold of it. */
  async read(ctx: Context, logged: readonly KubeObject[]): Promise<ClusterData | undefined> {
    const asked = await this.#ask(ctx).catch(() => undefined);
    const objects = asked ?? logged;
    if (objects.length === 0) return undefined;
    const of = (kind: string) => objects.filter((object) => object.kind === kind);
    const version = of('ClusterVersion')[0];
    return {
      at: ctx.now().toISOString(),
      from: asked ? 'api' : 'logs',
      progress: (version && conditionOf(version, 'Progressing')?.message) ?? '',
      operators: of('ClusterOperator')
        .map((object) => this.#operator(ctx, object))
        .toSorted((a, b) => RANK[a.state] - RANK[b.state] || (a.name < b.name ? -1 : 1)),
      etcd: of('Pod').filter(isEtcd).map(etcdRow),
      requests: of('CertificateSigningRequest').map(requestRow),
      nodes: of('Node').map((node) => ({
        name: node.metadata.name,
        ready: conditionOf(node, 'Ready')?.status === 'True',
      })),
    };
  }

  async #ask(ctx: Context): Promise<readonly KubeObject[] | undefined> {
    if (!(await exists(this.#kubeconfig))) return undefined;
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(ASK_MS)]);
    const hurried = { ...ctx, signal };
    const options = { kubeconfig: this.#kubeconfig, retry: { attempts: 1 } };
    return await withCluster(hurried, options, async (resources) => {
      const kinds = [
        KINDS.clusterVersion,
        KINDS.clusterOperator,
        KINDS.node,
        KINDS.certificateRequest,
      ];
      const lists = await Promise.all(kinds.map((kind) => resources.list(hurried, kind)));
      const pods = await resources
        .list(hurried, KINDS.pod, { namespace: 'openshift-etcd' })
        .catch(() => ({ objects: [] }));
      return [...lists, pods].flatMap(({ objects }) => objects);
    });
  }

  #operator(ctx: Context, object: KubeObject): OperatorRow {
    const { name } = object.metadata;
    const state = operatorState(object);
    const kept = this.#seen.get(name) ?? [];
    const since = conditionOf(object, CONDITION[state])?.lastTransitionTime;
    if (kept.at(-1)?.state !== state) kept.push({ at: since ?? ctx.now().toISOString(), state });
    this.#seen.set(name, kept.slice(-MAX_HISTORY));
    const message = conditionOf(object, CONDITION[state])?.message ?? '';
    return { name, state, message, history: [...kept] };
  }
}

/** What is worst comes first. */
const RANK: Readonly<Record<OperatorState, number>> = {
  degraded: 0,
  unavailable: 1,
  progressing: 2,
  available: 3,
};
const CONDITION: Readonly<Record<OperatorState, string>> = {
  degraded: 'Degraded',
  unavailable: 'Available',
  progressing: 'Progressing',
  available: 'Available',
};

function operatorState(object: KubeObject): OperatorState {
  const is = (type: string) => conditionOf(object, type)?.status === 'True';
  if (is('Degraded')) return 'degraded';
  if (!is('Available')) return 'unavailable';
  return is('Progressing') ? 'progressing' : 'available';
}

const isEtcd = ({ metadata }: KubeObject) => /^etcd-(?!guard)/.test(metadata.name);

function etcdRow(pod: KubeObject): ClusterData['etcd'][number] {
  const { name } = pod.metadata;
  return { name, state: conditionOf(pod, 'Ready')?.status === 'True' ? 'ready' : 'waiting' };
}

function requestRow(request: KubeObject): ClusterData['requests'][number] {
  const { spec } = request as { readonly spec?: { readonly username?: string } };
  const { name, creationTimestamp } = request.metadata as {
    readonly name: string;
    readonly creationTimestamp?: string;
  };
  return { name, user: spec?.username ?? '', state: stateOf(request), at: creationTimestamp ?? '' };
}
