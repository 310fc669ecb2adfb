import { BOOTSTRAP_STEPS } from './bootstrap/steps.ts';

/** Components the bootstrap machine pulls in every install, in the order in which it needs them. */
export const BOOTSTRAP_COMPONENTS: readonly string[] = [
  ...new Set(
    BOOTSTRAP_STEPS.flatMap(({ only, components = [] }) => (only === undefined ? components : [])),
  ),
];

/** What every node of the cluster runs. */
export const NODE_COMPONENTS: readonly string[] = [
  'rhel-coreos',
  'machine-config-operator',
  'pod',
  'multus-cni',
  'ovn-kubernetes',
  'coredns',
  'kube-proxy',
  'network-metrics-daemon',
  'prometheus-node-exporter',
  'cluster-node-tuning-operator',
  'cli',
];

/** What every control plane node runs besides; the version operator runs from the release image itself. */
export const CONTROL_PLANE_COMPONENTS: readonly string[] = [
  'etcd',
  'hyperkube',
  'oauth-apiserver',
  'openshift-apiserver',
];
