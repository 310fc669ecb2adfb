/** A line of a log that says something about a step. */
export interface Signal {
  readonly step: string;
  /** `loop` is a failed try of something that is tried for ever; `note` says what it waits for. */
  readonly says: 'started' | 'finished' | 'failed' | 'loop' | 'note';
  readonly where: readonly string[];
  /** A group `note` is shown as what the step is waiting for. */
  readonly pattern: string;
}

const BOOTSTRAP = ['journal:bootstrap/*'];
const PULL = ['journal:bootstrap/node-image-pull'];
const BOOTKUBE = ['journal:bootstrap/bootkube'];
const INSTALLER = ['installer-log'];
const MCS = ['pod:openshift-machine-config-operator/machine-config-server', 'pod:unknown/*'];

/** What bootkube says when a stage begins: all there is where the service records are missing. */
const STAGE_WORDS: Readonly<Record<string, string>> = {
  'openshift-manifests': 'Moving OpenShift manifests in with the rest of them',
  'config-bootstrap': 'Rendering cluster config manifests',
  'cvo-bootstrap': 'Rendering Cluster Version Operator Manifests',
  'etcd-bootstrap': 'Rendering CEO Manifests',
  'kube-apiserver-bootstrap': 'Rendering Kubernetes API server core manifests',
  'kube-controller-manager-bootstrap': 'Rendering Kubernetes Controller Manager core manifests',
  'kube-scheduler-bootstrap': 'Rendering Kubernetes Scheduler core manifests',
  'ingress-operator-bootstrap': 'Rendering Ingress Operator core manifests',
  'mco-bootstrap': 'Rendering MCO manifests',
  'cco-bootstrap': 'Rendering CCO manifests',
  'cb-bootstrap': 'Starting cluster-bootstrap',
  'wait-for-ceo': 'Waiting for CEO to finish',
};

const STAGE_SIGNALS: readonly Signal[] = Object.entries(STAGE_WORDS).map(([step, words]) => ({
  step,
  says: 'started',
  where: BOOTKUBE,
  pattern: `${words}\\.\\.\\.|${words}$`,
}));

export const SIGNALS: readonly Signal[] = [
  ...STAGE_SIGNALS,
  { step: 'boot', says: 'started', where: BOOTSTRAP, pattern: 'Linux version \\d' },
  {
    step: 'boot',
    says: 'finished',
    where: BOOTSTRAP,
    pattern: 'Reached target .*(?:Basic System|basic\\.target)',
  },
  {
    step: 'ignition',
    says: 'started',
    where: [...BOOTSTRAP, 'console:bootstrap'],
    pattern: 'Ignition 2\\.\\d+\\.\\d+|ignition\\[\\d+\\]: Stage:',
  },
  {
    step: 'ignition',
    says: 'finished',
    where: [...BOOTSTRAP, 'console:bootstrap'],
    pattern: 'Ignition finished successfully',
  },
  {
    step: 'ignition',
    says: 'failed',
    where: [...BOOTSTRAP, 'console:bootstrap'],
    pattern: 'Ignition failed: (?<note>.*)',
  },
  {
    step: 'node-image-pull',
    says: 'started',
    where: BOOTSTRAP,
    pattern: 'Starting node-image-pull\\.service|Starting .*Node Image Pull',
  },
  {
    step: 'node-image-pull',
    says: 'started',
    where: PULL,
    pattern:
      'Currently on CoreOS version|Target node image is|Could not resolve release image to pull by digest',
  },
  {
    step: 'node-image-pull',
    says: 'loop',
    where: PULL,
    pattern:
      'Failed to (?:query MCO image from release|query for OS image pullspec|query release image|fetch release image); retrying',
  },
  {
    step: 'node-image-pull',
    says: 'note',
    where: PULL,
    pattern: '(?<note>(?:initializing source|pinging container registry|reading manifest).*)',
  },
  {
    step: 'node-image-pull',
    says: 'finished',
    where: [...PULL, 'journal:bootstrap/systemd', 'journal:bootstrap/init'],
    pattern:
      'Checking out node image content|Finished node-image-pull\\.service|Finished .*Node Image Pull',
  },
  {
    step: 'node-image-pull',
    says: 'failed',
    where: BOOTSTRAP,
    pattern: 'node-image-pull\\.service: Failed with result',
  },
  {
    step: 'node-image-overlay',
    says: 'started',
    where: BOOTSTRAP,
    pattern: 'Starting node-image-overlay\\.service|Starting .*Node Image Overlay',
  },
  {
    step: 'node-image-overlay',
    says: 'finished',
    where: BOOTSTRAP,
    pattern: 'Node image overlay complete',
  },
  {
    step: 'node-image-overlay',
    says: 'failed',
    where: BOOTSTRAP,
    pattern: 'node-image-overlay\\.service: Failed with result',
  },
  {
    step: 'release-image',
    says: 'started',
    where: BOOTSTRAP,
    pattern: 'Starting Download the OpenShift Release Image|Starting release-image\\.service',
  },
  {
    step: 'release-image',
    says: 'finished',
    where: BOOTSTRAP,
    pattern: 'Finished Download the OpenShift Release Image|Finished release-image\\.service',
  },
  {
    step: 'release-image',
    says: 'loop',
    where: ['journal:bootstrap/release-image'],
    pattern: 'Pull failed\\. Retrying ',
  },
  {
    step: 'release-image',
    says: 'note',
    where: ['journal:bootstrap/release-image'],
    pattern: '(?<note>(?:initializing source|pinging container registry|reading manifest).*)',
  },
  {
    step: 'crio',
    says: 'started',
    where: BOOTSTRAP,
    pattern: 'Starting crio\\.service|Starting Container Runtime Interface for OCI',
  },
  {
    step: 'crio',
    says: 'finished',
    where: BOOTSTRAP,
    pattern: 'Started crio\\.service|Started Container Runtime Interface for OCI',
  },
  {
    step: 'crio',
    says: 'failed',
    where: BOOTSTRAP,
    pattern: '\\bcrio\\.service: Failed with result',
  },
  {
    step: 'kubelet',
    says: 'finished',
    where: BOOTSTRAP,
    pattern:
      'Started Kubernetes Kubelet|Started kubelet\\.service|Started Bootstrap Kubernetes Kubelet',
  },
  { step: 'wait-for-etcd', says: 'loop', where: BOOTKUBE, pattern: 'etcdctl failed\\. Retrying' },
  {
    step: 'wait-for-etcd',
    says: 'finished',
    where: BOOTKUBE,
    pattern: 'is healthy: successfully committed proposal',
  },
  {
    step: 'temporary-control-plane',
    says: 'started',
    where: BOOTKUBE,
    pattern: 'Starting cluster-bootstrap\\.\\.\\.|Starting temporary bootstrap control plane',
  },
  {
    step: 'temporary-control-plane',
    says: 'finished',
    where: BOOTKUBE,
    pattern: '\\bAPI is up\\b|Pod Status:',
  },
  {
    step: 'temporary-control-plane',
    says: 'failed',
    where: BOOTKUBE,
    pattern: 'time out waiting for Kubernetes API',
  },
  {
    step: 'temporary-control-plane',
    says: 'finished',
    where: INSTALLER,
    // Said right after "API v… up", which is too short and too quoted to be looked for.
    pattern: 'Waiting up to \\S+ (?:\\(until [^)]*\\) )?for bootstrapping to complete',
  },
  {
    step: 'temporary-control-plane',
    says: 'loop',
    where: INSTALLER,
    pattern: 'Still waiting for the Kubernetes API: (?<note>.*)',
  },
  {
    step: 'masters-ignition',
    says: 'started',
    where: ['console:node'],
    pattern: 'GET https?://\\S+:22623/config/master',
  },
  {
    step: 'masters-ignition',
    says: 'loop',
    where: ['console:node'],
    pattern: 'GET error: (?<note>.*22623/config/master.*)',
  },
  { step: 'masters-ignition', says: 'finished', where: MCS, pattern: 'Pool master requested by' },
  { step: 'csr', says: 'started', where: MCS, pattern: 'Pool master requested by' },
  {
    step: 'csr',
    says: 'finished',
    where: ['journal:bootstrap/approve-csr'],
    pattern:
      'certificatesigningrequest\\S* approved|certificatesigningrequest\\.certificates\\.k8s\\.io/\\S+ approved',
  },
  {
    step: 'cb-bootstrap',
    says: 'note',
    where: BOOTKUBE,
    pattern: 'Pod Status:\\s*(?<pod>[\\w-]+/[\\w.-]+)\\s+(?<state>\\w+)',
  },
  {
    step: 'cb-bootstrap',
    says: 'failed',
    where: BOOTKUBE,
    pattern:
      'error while checking pod status: (?<note>.*)|time out waiting for condition: (?<what>.*)',
  },
  {
    step: 'cvo-overrides',
    says: 'loop',
    where: BOOTKUBE,
    pattern: 'Trying again to restore CVO overrides',
  },
  {
    step: 'wait-for-ceo',
    says: 'loop',
    where: BOOTKUBE,
    pattern: 'waiting on condition EtcdRunningInCluster',
  },
  {
    step: 'bootkube-complete',
    says: 'finished',
    where: BOOTKUBE,
    pattern: 'bootkube\\.service complete',
  },
  {
    step: 'report-bootstrap-complete',
    says: 'finished',
    where: INSTALLER,
    pattern: 'Bootstrap status: complete|It is now safe to remove the bootstrap resources',
  },
  {
    step: 'etcd-member-removed',
    says: 'started',
    where: INSTALLER,
    pattern: 'Waiting for the bootstrap etcd member to be removed',
  },
  {
    step: 'etcd-member-removed',
    says: 'finished',
    where: INSTALLER,
    pattern:
      'Bootstrap etcd member has been removed|It is now safe to remove the bootstrap resources',
  },
  {
    step: 'bootstrap-removed',
    says: 'started',
    where: INSTALLER,
    pattern: 'Destroying the bootstrap resources|It is now safe to remove the bootstrap resources',
  },
  {
    step: 'bootstrap-removed',
    says: 'finished',
    where: INSTALLER,
    pattern:
      'Finished destroying bootstrap resources|Bootstrap Destroy: |Waiting up to \\S+ (?:\\(until [^)]*\\) )?for the cluster at \\S+ to initialize',
  },
  { step: 'workers', says: 'started', where: MCS, pattern: 'Pool worker requested by' },
  {
    step: 'workers',
    says: 'loop',
    where: ['console:node'],
    pattern: 'GET error: (?<note>.*22623/config/worker.*)',
  },
  {
    step: 'operators',
    says: 'started',
    where: INSTALLER,
    pattern: 'Waiting up to \\S+ (?:\\(until [^)]*\\) )?for the cluster at \\S+ to initialize',
  },
  {
    step: 'operators',
    says: 'note',
    where: INSTALLER,
    pattern: '(?:Still waiting for the cluster to initialize: |Working towards )(?<note>.*)',
  },
  { step: 'operators', says: 'finished', where: INSTALLER, pattern: 'Install complete!' },
  {
    step: 'operators',
    says: 'failed',
    where: INSTALLER,
    pattern: 'failed to initialize the cluster: (?<note>.*)',
  },
  { step: 'workers', says: 'finished', where: INSTALLER, pattern: 'Install complete!' },
];
