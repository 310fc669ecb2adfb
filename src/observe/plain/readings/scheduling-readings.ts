import { type PlainReading, word } from '../plain-reading.ts';

const NONE = String.raw`0/\d+ nodes are available: `;
/** Up to what is said of making room by ending other pods. */
const WHY = String.raw`(?<why>.{0,400}?%.{0,400}?)(?:\.? preemption: .*|["']*)$`;

/** No node is right for a pod, and the scheduler says this of some of them. */
const none = (words: string): RegExp => new RegExp(NONE + WHY.replace('%', words), 'i');

/** Why the scheduler finds no node; what is short everywhere is known to rules. The most telling first. */
export const SCHEDULING_READINGS: readonly PlainReading[] = [
  {
    id: 'says-claim-missing',
    pattern: none('persistentvolumeclaim "[^"]+" (?:not found|is being deleted)'),
    cause: (found) =>
      `No node can run the pod, because a claim that it names is not there (${word(found, 'why')})`,
    remedy: 'Make the claim in the namespace of the pod, or correct its name',
  },
  {
    id: 'says-volume-of-other-nodes',
    pattern: none('volume node affinity conflict'),
    cause: (found) =>
      `No node can run the pod: its volume can only be used on other nodes (${word(found, 'why')})`,
    remedy:
      'See which nodes or zone the volume is bound to ("oc get pv -o yaml", nodeAffinity): let the pod run there, bring that node back, or make the claim anew with WaitForFirstConsumer',
  },
  {
    id: 'says-no-volume-to-bind',
    pattern: none(
      "(?:didn't find available persistent volumes to bind|did not have enough free storage)",
    ),
    cause: (found) =>
      `No node can run the pod: there is no volume on it for its claim (${word(found, 'why')})`,
    remedy: 'Add volumes or disks of that storage class on the nodes the pod may run on',
  },
  {
    id: 'says-host-port-taken',
    pattern: none("didn't have free ports"),
    cause: (found) =>
      `No node can run the pod: the host port that it wants is taken on each (${word(found, 'why')})`,
    remedy:
      'Another pod with the same hostPort runs there: remove it, run fewer replicas, or add nodes',
  },
  {
    id: 'says-device-short',
    pattern: none(String.raw`Insufficient (?!cpu|memory|ephemeral-storage|pods)[\w.-]+\/[\w.-]+`),
    cause: (found) =>
      `No node has a free device of the kind that the pod asks for (${word(found, 'why')})`,
    remedy:
      'Look whether the device plugin runs on the nodes (GPU or SR-IOV operator) and what "oc describe node" has as allocatable',
  },
  {
    id: 'says-node-labels',
    pattern: none(
      "didn't match (?:Pod's node affinity/selector|node selector|Pod's node affinity)(?!.*Insufficient )",
    ),
    cause: (found) =>
      `No node that the pod may run on has the labels that it asks for (${word(found, 'why')})`,
    remedy:
      'Label a node ("oc label node"), or correct nodeSelector or affinity of the pod and the default of its namespace',
  },
  {
    id: 'says-nodes-sick',
    pattern: none(
      String.raw`node\.kubernetes\.io/(?:not-ready|unreachable|disk-pressure|memory-pressure|pid-pressure|network-unavailable)`,
    ),
    cause: (found) => `No node can run the pod, because nodes are not well (${word(found, 'why')})`,
    remedy:
      '"oc describe node" says what is wrong with them: the pod is taken when they are ready again',
  },
  {
    id: 'says-preempted',
    pattern: /Preempted by (?:a )?pod (?<pod>\S+)(?: on node (?<node>\S+))?/,
    cause: (found) =>
      `The pod was ended to make room for one of a higher priority (${word(found, 'pod')}${word(found, 'node') === undefined ? '' : ` on ${word(found, 'node')}`})`,
    remedy:
      'The nodes are too full for both: add nodes or memory, or give the pod a higher priorityClassName',
  },
  {
    id: 'says-node-reclaims',
    pattern: /Attempting to reclaim (?<what>memory|inodes|pids)/,
    cause: (found) =>
      `The node runs low on ${word(found, 'what')}, and its kubelet ends pods for it`,
    remedy:
      'Look what takes it ("oc adm top pods -A", "oc describe node"), and give pods limits or the node more',
  },
];
