/** The lanes of the picture, top to bottom. */
export const LANES = [
  'System',
  'Ignition',
  'CRI-O',
  'kubelet',
  'bootkube',
  'registry',
  'etcd',
  'API server',
  'operators',
  'masters',
  'workers',
] as const;

export type Lane = (typeof LANES)[number];

/** One thing that has to happen on the way from power-on to a cluster. */
export interface Step {
  readonly id: string;
  readonly title: string;
  readonly lane: Lane;
  /** Longer than this and it is stuck: it may never report a failure of its own. */
  readonly limitMinutes: number;
  readonly waitsFor: string;
  /** The stages of a service record that are this step. */
  readonly record?: { readonly service: string; readonly stage?: string };
  /** A failure is noted and the machine goes on. */
  readonly tolerated?: true;
  /** It begins when that step does, or when that one ends, where nothing else says when. */
  readonly startsWith?: string;
  readonly startsAfter?: string;
  /** Goes on beside the others: that it is done says nothing about those before it. */
  readonly parallel?: true;
  /** Its logs are often not gathered: without a sign of it, nothing can be said. */
  readonly oftenUnseen?: true;
  /** Only the log of the installer tells; without one, nothing can be said. */
  readonly seenByInstaller?: true;
}

const stage = (
  id: string,
  title: string,
  options: Partial<Step> & { readonly lane?: Lane } = {},
): Step => ({
  id,
  title,
  lane: 'bootkube',
  limitMinutes: 5,
  waitsFor: 'the image of the operator that renders it',
  record: { service: 'bootkube', stage: id },
  ...options,
});

/** The real sequence of a bootstrap, in order. */
export const STEPS: readonly Step[] = [
  {
    id: 'boot',
    title: 'Machine booted',
    lane: 'System',
    limitMinutes: 10,
    waitsFor: 'the machine to start',
  },
  {
    id: 'ignition',
    title: 'Ignition applied',
    lane: 'Ignition',
    limitMinutes: 10,
    waitsFor: 'the Ignition config: S3 object, user data or HTTP',
  },
  {
    id: 'node-image-pull',
    title: 'Node image pulled',
    lane: 'registry',
    limitMinutes: 10,
    waitsFor: 'the release image and the node OS image from the mirror (retried for ever)',
  },
  {
    id: 'node-image-overlay',
    title: 'Node image laid over the system',
    lane: 'System',
    limitMinutes: 5,
    waitsFor: 'the checkout of the node image',
  },
  {
    id: 'release-image',
    title: 'Release image pulled',
    lane: 'registry',
    limitMinutes: 5,
    waitsFor: 'the release image from the mirror (retried for ever)',
    record: { service: 'release-image' },
  },
  {
    id: 'crio-configure',
    title: 'CRI-O configured',
    lane: 'CRI-O',
    limitMinutes: 5,
    waitsFor: 'the pause image of the release',
    record: { service: 'crio-configure' },
  },
  { id: 'crio', title: 'CRI-O running', lane: 'CRI-O', limitMinutes: 3, waitsFor: 'crio.service' },
  {
    id: 'kubelet',
    title: 'kubelet running',
    lane: 'kubelet',
    limitMinutes: 5,
    waitsFor: 'kubelet.service and its pause image',
    record: { service: 'kubelet' },
  },
  stage('openshift-manifests', 'Manifests of the installer copied', {
    waitsFor: 'bootkube.service',
  }),
  stage('api-bootstrap', 'Config API rendered'),
  stage('auth-api-bootstrap', 'Authentication API rendered'),
  stage('config-bootstrap', 'Cluster config rendered'),
  stage('cvo-bootstrap', 'Cluster version operator rendered'),
  stage('etcd-bootstrap', 'etcd rendered', { lane: 'etcd' }),
  stage('kube-apiserver-bootstrap', 'API server rendered', { lane: 'API server' }),
  stage('kube-controller-manager-bootstrap', 'Controller manager rendered'),
  stage('kube-scheduler-bootstrap', 'Scheduler rendered'),
  stage('ingress-operator-bootstrap', 'Ingress rendered'),
  stage('node-tuning-bootstrap', 'Node tuning rendered'),
  stage('mco-bootstrap', 'Machine config server started', { lane: 'masters' }),
  stage('resolve-api-url', 'API name resolved', { tolerated: true, waitsFor: 'DNS' }),
  stage('resolve-api-int-url', 'Internal API name resolved', { tolerated: true, waitsFor: 'DNS' }),
  stage('cco-bootstrap', 'Cloud credentials rendered'),
  stage('wait-for-etcd', 'Single etcd member healthy', {
    lane: 'etcd',
    waitsFor: 'the etcd static pod on the bootstrap machine (retried for ever)',
  }),
  {
    id: 'temporary-control-plane',
    title: 'Temporary control plane up',
    lane: 'API server',
    startsWith: 'cb-bootstrap',
    limitMinutes: 20,
    waitsFor: 'the kube-apiserver static pod on the bootstrap machine',
  },
  {
    id: 'masters-ignition',
    title: 'Masters fetched their config',
    lane: 'masters',
    startsAfter: 'mco-bootstrap',
    oftenUnseen: true,
    parallel: true,
    limitMinutes: 20,
    waitsFor: 'masters to reach port 22623 of api-int',
  },
  {
    id: 'csr',
    title: 'Masters joined (CSRs approved)',
    lane: 'masters',
    startsAfter: 'masters-ignition',
    parallel: true,
    limitMinutes: 20,
    waitsFor: 'the first boot of the masters: OS image from the mirror, then kubelet',
  },
  stage('cb-bootstrap', 'Production control plane running', {
    lane: 'operators',
    limitMinutes: 30,
    waitsFor: 'the required pods on the masters',
  }),
  stage('cvo-overrides', 'CVO overrides restored', {
    limitMinutes: 10,
    waitsFor: 'the API behind its real name (retried for ever)',
  }),
  stage('wait-for-ceo', 'etcd handed over to the masters', {
    lane: 'etcd',
    limitMinutes: 20,
    waitsFor: 'condition EtcdRunningInCluster of the etcd operator (no timeout of its own)',
  }),
  stage('check-api-url', 'API name answers', { tolerated: true, waitsFor: 'the load balancer' }),
  stage('check-api-int-url', 'Internal API name answers', {
    tolerated: true,
    waitsFor: 'the load balancer',
  }),
  {
    id: 'bootkube-complete',
    title: 'bootkube complete',
    lane: 'bootkube',
    startsAfter: 'wait-for-ceo',
    limitMinutes: 5,
    waitsFor: 'bootkube.service',
  },
  {
    id: 'report-bootstrap-complete',
    title: 'Bootstrap reported complete',
    lane: 'System',
    startsAfter: 'bootkube-complete',
    limitMinutes: 20,
    waitsFor: 'two API servers on masters',
    record: { service: 'progress', stage: 'report-bootstrap-complete' },
  },
  {
    id: 'etcd-member-removed',
    title: 'Bootstrap etcd member removed',
    lane: 'etcd',
    startsAfter: 'report-bootstrap-complete',
    seenByInstaller: true,
    limitMinutes: 15,
    waitsFor: 'condition EtcdBootstrapMemberRemoved (the installer waits without a deadline)',
  },
  {
    id: 'bootstrap-removed',
    title: 'Bootstrap machine removed',
    lane: 'System',
    startsAfter: 'etcd-member-removed',
    seenByInstaller: true,
    limitMinutes: 10,
    waitsFor: 'the installer, or you where you own the machines',
  },
  {
    id: 'workers',
    title: 'Workers joined',
    lane: 'workers',
    seenByInstaller: true,
    parallel: true,
    limitMinutes: 30,
    waitsFor: 'worker machines: config from port 22623, OS image, CSRs',
  },
  {
    id: 'operators',
    title: 'Operators available',
    lane: 'operators',
    seenByInstaller: true,
    limitMinutes: 40,
    waitsFor: 'ClusterVersion to become available',
  },
];
