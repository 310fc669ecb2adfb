import { conditionOf, type KubeObject } from './api/object.ts';
import { stateOf } from './csr/certificate-request.ts';

export type OperatorState = 'available' | 'progressing' | 'degraded' | 'unavailable';

/** What of a cluster people watch while it comes up, and how it stands. */
export interface ClusterPart {
  readonly kind: 'operator' | 'node' | 'member' | 'request';
  readonly name: string;
  /** Of an operator an {@link OperatorState}, of a request its state; of nodes and members `ready` or `waiting`. */
  readonly state: string;
  /** What an operator says of it, or who asks. */
  readonly message: string;
}

/** An object as something to watch; undefined for any other. */
export function partOf(object: KubeObject): ClusterPart | undefined {
  const { name } = object.metadata;
  switch (object.kind) {
    case 'ClusterOperator':
      return { kind: 'operator', name, ...operatorState(object) };
    case 'Node':
      return { kind: 'node', name, state: readyWord(is(object, 'Ready')), message: '' };
    case 'Pod':
      return isEtcd(object)
        ? { kind: 'member', name, state: readyWord(isPodReady(object)), message: '' }
        : undefined;
    case 'CertificateSigningRequest':
      return { kind: 'request', name, state: stateOf(object), message: userOf(object) };
    default:
      return undefined;
  }
}

const is = (object: KubeObject, type: string) => conditionOf(object, type)?.status === 'True';
const readyWord = (isReady: boolean) => (isReady ? 'ready' : 'waiting');

/** What is worst counts, with the words of the condition that says so. */
function operatorState(object: KubeObject): {
  readonly state: OperatorState;
  readonly message: string;
} {
  const says = (state: OperatorState, type: string) => ({
    state,
    message: conditionOf(object, type)?.message ?? '',
  });
  if (is(object, 'Degraded')) return says('degraded', 'Degraded');
  if (!is(object, 'Available')) return says('unavailable', 'Available');
  return is(object, 'Progressing')
    ? says('progressing', 'Progressing')
    : says('available', 'Available');
}

/** Pods that guard a member are none themselves. */
const isEtcd = ({ metadata }: KubeObject) =>
  metadata.namespace === 'openshift-etcd' && /^etcd-(?!guard)/.test(metadata.name);

/** The members of etcd are pods; beside the condition their containers say it. */
function isPodReady(pod: KubeObject): boolean {
  const { containerStatuses = [] } = (pod.status ?? {}) as {
    readonly containerStatuses?: readonly { readonly ready?: boolean }[];
  };
  const condition = conditionOf(pod, 'Ready');
  if (condition) return condition.status === 'True';
  return containerStatuses.length > 0 && containerStatuses.every(({ ready }) => ready === true);
}

function userOf(request: KubeObject): string {
  const { username = '' } = (request.spec ?? {}) as { readonly username?: string };
  return username;
}
