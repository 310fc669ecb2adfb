/** The stages of bootkube in order, each with the components it renders or runs. */
export const BOOTKUBE_STAGES: readonly (readonly [stage: string, components: readonly string[]])[] =
  [
    ['openshift-manifests', []],
    ['api-bootstrap', ['cluster-config-api']],
    ['auth-api-bootstrap', ['cluster-authentication-operator']],
    ['config-bootstrap', ['cluster-config-operator']],
    ['cvo-bootstrap', ['cluster-version-operator']],
    ['etcd-bootstrap', ['cluster-etcd-operator', 'etcd']],
    ['kube-apiserver-bootstrap', ['cluster-kube-apiserver-operator', 'hyperkube']],
    ['kube-controller-manager-bootstrap', ['cluster-kube-controller-manager-operator']],
    ['kube-scheduler-bootstrap', ['cluster-kube-scheduler-operator']],
    ['ingress-operator-bootstrap', ['cluster-ingress-operator']],
    ['node-tuning-bootstrap', ['cluster-node-tuning-operator']],
    ['mco-bootstrap', ['machine-config-operator']],
    ['cco-bootstrap', ['cloud-credential-operator']],
    ['wait-for-etcd', []],
  ];

/** Pods of the production control plane that cluster-bootstrap waits for. */
export const REQUIRED_PODS: readonly string[] = [
  'openshift-kube-apiserver/kube-apiserver',
  'openshift-kube-scheduler/openshift-kube-scheduler',
  'openshift-kube-controller-manager/kube-controller-manager',
  'openshift-cluster-version/cluster-version-operator',
];

/** What every node of the cluster runs. */
export const NODE_COMPONENTS: readonly string[] = [
  'rhel-coreos',
  'machine-config-operator',
  'pod',
  'multus-cni',
  'ovn-kubernetes',
  'coredns',
];

/** What masters run besides. */
export const MASTER_COMPONENTS: readonly string[] = [
  'etcd',
  'hyperkube',
  'cluster-version-operator',
];
