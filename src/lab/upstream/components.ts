/** The components of a lab release: those a bootstrap asks for by name, and some of the rest. */
export const COMPONENTS: readonly string[] = [
  'cli',
  'cli-artifacts',
  'cloud-credential-operator',
  'cluster-authentication-operator',
  'cluster-bootstrap',
  'cluster-config-api',
  'cluster-config-operator',
  'cluster-etcd-operator',
  'cluster-ingress-operator',
  'cluster-kube-apiserver-operator',
  'cluster-kube-controller-manager-operator',
  'cluster-kube-scheduler-operator',
  'cluster-network-operator',
  'cluster-node-tuning-operator',
  'cluster-version-operator',
  'console',
  'coredns',
  'etcd',
  'haproxy-router',
  'hyperkube',
  'installer',
  'installer-artifacts',
  'machine-config-operator',
  'multus-cni',
  'oauth-server',
  'ovn-kubernetes',
  'pod',
  'prometheus',
  'rhel-coreos',
];

/** What changes from one lab release to the next; the rest is shared, as between real z-streams. */
export const CHANGING: ReadonlySet<string> = new Set([
  'etcd',
  'hyperkube',
  'machine-config-operator',
  'rhel-coreos',
]);

/** Operators whose Deployment is in the payload: what the version operator rolls out. */
export const OPERATORS: readonly string[] = COMPONENTS.filter((name) => name.endsWith('-operator'));
