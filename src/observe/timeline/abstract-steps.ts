/** The ten steps in which the process is usually told, and the real ones each is made of. */
export interface AbstractStep {
  readonly number: number;
  readonly title: string;
  readonly steps: readonly string[];
}

export const ABSTRACT_STEPS: readonly AbstractStep[] = [
  {
    number: 1,
    title: 'The bootstrap machine boots and hosts what the control plane machines need',
    steps: [
      'boot',
      'ignition',
      'node-image-pull',
      'node-image-overlay',
      'release-image',
      'crio-configure',
      'crio',
      'kubelet',
      'openshift-manifests',
      'api-bootstrap',
      'auth-api-bootstrap',
      'config-bootstrap',
      'cvo-bootstrap',
      'kube-controller-manager-bootstrap',
      'kube-scheduler-bootstrap',
      'ingress-operator-bootstrap',
      'node-tuning-bootstrap',
      'mco-bootstrap',
      'cco-bootstrap',
    ],
  },
  {
    number: 2,
    title: 'A single-node etcd and a temporary control plane start on the bootstrap machine',
    steps: [
      'etcd-bootstrap',
      'kube-apiserver-bootstrap',
      'wait-for-etcd',
      'temporary-control-plane',
    ],
  },
  {
    number: 3,
    title: 'The control plane machines fetch their config and finish booting',
    steps: ['masters-ignition', 'csr'],
  },
  {
    number: 4,
    title: 'The temporary control plane schedules the production one onto the masters',
    steps: ['cb-bootstrap'],
  },
  {
    number: 5,
    title: 'The CVO comes up and the etcd operator scales etcd to all masters',
    steps: ['wait-for-ceo'],
  },
  {
    number: 6,
    title: 'The temporary control plane shuts down and hands over',
    steps: ['bootkube-complete'],
  },
  {
    number: 7,
    title: 'The bootstrap machine injects the components into the production control plane',
    steps: ['cvo-overrides', 'report-bootstrap-complete', 'etcd-member-removed'],
  },
  {
    number: 8,
    title: 'The installer shuts the bootstrap machine down',
    steps: ['bootstrap-removed'],
  },
  { number: 9, title: 'The control plane sets up the compute machines', steps: ['workers'] },
  {
    number: 10,
    title: 'The control plane installs further services as operators',
    steps: ['operators'],
  },
];
