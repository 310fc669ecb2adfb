import type { BootstrapStep } from './step.ts';
import { failed, finished, loops, notes, started } from './step.ts';

type Row = Partial<BootstrapStep> & Pick<BootstrapStep, 'title'>;

/** A stage of bootkube.sh: its id is the name in the service record. */
const stage = (id: string, row: Row): BootstrapStep => ({
  id,
  lane: 'bootkube',
  part: 1,
  limitMinutes: 5,
  waitsFor: 'the image of the operator that renders it',
  service: 'bootkube',
  stage: id,
  ...row,
});

/** A look at an API name: a failure is only noted, for the load balancer may come later. */
function lookup(
  id: string,
  title: string,
  verb: 'resolvable' | 'reachable',
  type: 'API' | 'API-Int',
): BootstrapStep {
  const name = type === 'API' ? 'API_URL' : 'API_INT_URL';
  const [ends, fails] =
    verb === 'resolvable'
      ? [`Successfully resolved ${name}`, `Unable to resolve ${name}`]
      : [`Success while trying to reach ${name}`, `Unable to reach ${name}`];
  // Of no abstract step: whether they are done does not say how far the install is.
  const { part, ...row } = stage(id, {
    title,
    tolerated: true,
    waitsFor: verb === 'resolvable' ? 'DNS' : 'the load balancer',
    starts: `Check if ${type} URL is ${verb} during bootstrap`,
    ends,
    signals: [failed(`(?<note>${fails}\\b.*)`)],
  });
  return row;
}

/** The stages of bootkube.sh until it starts the temporary control plane, in order. A new one is a row. */
export const RENDER_STAGES: readonly BootstrapStep[] = [
  stage('openshift-manifests', {
    title: 'Manifests of the installer copied',
    starts: 'Moving OpenShift manifests in with the rest of them',
    waitsFor: 'bootkube.service',
  }),
  stage('api-bootstrap', {
    title: 'Config API rendered',
    starts: 'Rendering api manifests...',
    components: ['cluster-config-api'],
  }),
  stage('auth-api-bootstrap', {
    title: 'Authentication API rendered',
    starts: 'Rendering auth api manifests...',
    components: ['cluster-authentication-operator'],
  }),
  stage('config-bootstrap', {
    title: 'Cluster config rendered',
    starts: 'Rendering cluster config manifests...',
    components: ['cluster-config-operator'],
  }),
  stage('cvo-bootstrap', {
    title: 'Cluster version operator rendered',
    starts: 'Rendering Cluster Version Operator Manifests...',
    waitsFor: 'the release image',
  }),
  stage('etcd-bootstrap', {
    title: 'etcd rendered',
    lane: 'etcd',
    part: 2,
    starts: 'Rendering CEO Manifests...',
    components: ['cluster-etcd-operator', 'etcd'],
  }),
  stage('konnectivity-certs', {
    title: 'Konnectivity certificates made',
    part: 2,
    only: 'konnectivity',
    starts: 'Generating Konnectivity certificates in /opt/openshift/tls/konnectivity...',
    ends: 'Konnectivity certificates generated successfully.',
    waitsFor: 'openssl on the bootstrap machine',
  }),
  stage('konnectivity-server-bootstrap', {
    title: 'Konnectivity server set up',
    part: 2,
    only: 'konnectivity',
    starts: 'Creating Konnectivity server static pod manifest...',
    components: ['apiserver-network-proxy'],
  }),
  stage('kube-apiserver-bootstrap', {
    title: 'API server rendered',
    lane: 'API server',
    part: 2,
    starts: 'Rendering Kubernetes API server core manifests...',
    components: ['cluster-kube-apiserver-operator', 'hyperkube'],
  }),
  stage('kube-controller-manager-bootstrap', {
    title: 'Controller manager rendered',
    starts: 'Rendering Kubernetes Controller Manager core manifests...',
    components: ['cluster-kube-controller-manager-operator', 'cluster-policy-controller'],
  }),
  stage('kube-scheduler-bootstrap', {
    title: 'Scheduler rendered',
    starts: 'Rendering Kubernetes Scheduler core manifests...',
    components: ['cluster-kube-scheduler-operator'],
  }),
  stage('ingress-operator-bootstrap', {
    title: 'Ingress rendered',
    starts: 'Rendering Ingress Operator core manifests...',
    components: ['cluster-ingress-operator'],
  }),
  stage('node-tuning-bootstrap', {
    title: 'Node tuning rendered',
    starts: 'Rendering Node Tuning core manifests...',
    components: ['cluster-node-tuning-operator'],
  }),
  stage('cmdbootline-nto-bootstrap', {
    title: 'Kernel arguments rendered',
    only: 'in place',
    components: ['cluster-node-tuning-operator'],
    signals: [started('Skipping mounting /')],
  }),
  stage('mco-bootstrap', {
    title: 'Machine config server started',
    lane: 'masters',
    starts: 'Rendering MCO manifests...',
    components: ['machine-config-operator'],
  }),
  lookup('resolve-api-url', 'API name resolved', 'resolvable', 'API'),
  lookup('resolve-api-int-url', 'Internal API name resolved', 'resolvable', 'API-Int'),
  stage('cco-bootstrap', {
    title: 'Cloud credentials rendered',
    starts: 'Rendering CCO manifests...',
    components: ['cloud-credential-operator'],
  }),
  stage('wait-for-etcd', {
    title: 'Single etcd member healthy',
    lane: 'etcd',
    part: 2,
    waitsFor: 'the etcd static pod on the bootstrap machine (retried for ever)',
    ends: 'https://localhost:2379 is healthy: successfully committed proposal',
    signals: [
      loops('etcdctl failed\\. Retrying'),
      finished('is healthy: successfully committed proposal'),
    ],
  }),
  stage('konnectivity-agent-manifest', {
    title: 'Konnectivity agents set up',
    part: 2,
    only: 'konnectivity',
    starts: 'Creating Konnectivity agent manifests...',
  }),
];

/** The stage that runs the temporary control plane until the masters carry the production one. */
export const CLUSTER_BOOTSTRAP_STAGE = stage('cb-bootstrap', {
  title: 'Production control plane running',
  lane: 'operators',
  part: 4,
  limitMinutes: 30,
  waitsFor: 'the required pods on the masters',
  starts: 'Starting cluster-bootstrap...',
  components: ['cluster-bootstrap'],
  signals: [
    notes('Pod Status:\\s*(?<pod>[\\w-]+/[\\w.-]+)\\s+(?<state>\\w+)'),
    failed(
      'error while checking pod status: (?<note>.*)|time out waiting for condition: (?<what>.*)',
    ),
  ],
});

/** The stages after that, in order. */
export const HAND_OVER_STAGES: readonly BootstrapStep[] = [
  stage('stop-etcd', {
    title: 'etcd stopped',
    lane: 'etcd',
    part: 6,
    only: 'in place',
    starts: 'Stop etcd static pod by moving the manifest',
    waitsFor: 'the etcd container to stop (asked for ever)',
    signals: [loops('Waiting for etcd to go down')],
  }),
  stage('master-ignition', {
    title: 'Config of the node made',
    part: 6,
    limitMinutes: 10,
    only: 'in place',
    starts: 'Creating master ignition and writing it to disk',
    waitsFor: 'the machine config server, and logs to be gathered',
  }),
  stage('cvo-overrides', {
    title: 'CVO overrides restored',
    part: 7,
    limitMinutes: 10,
    unless: 'in place',
    waitsFor: 'the API behind its real name (retried for ever)',
    starts: 'Restoring CVO overrides',
    ends: 'clusterversion.config.openshift.io/version patched',
    signals: [loops('Trying again to restore CVO overrides')],
  }),
  stage('wait-for-ceo', {
    title: 'etcd handed over to the masters',
    lane: 'etcd',
    part: 5,
    limitMinutes: 20,
    unless: 'in place',
    waitsFor: 'condition EtcdRunningInCluster of the etcd operator (no timeout of its own)',
    starts: 'Waiting for CEO to finish...',
    ends: 'Cluster etcd operator bootstrapped successfully',
    signals: [loops('waiting on condition EtcdRunningInCluster')],
  }),
  lookup('check-api-url', 'API name answers', 'reachable', 'API'),
  lookup('check-api-int-url', 'Internal API name answers', 'reachable', 'API-Int'),
  stage('konnectivity-cleanup', {
    title: 'Konnectivity removed',
    part: 6,
    only: 'konnectivity',
    starts: 'Cleaning up bootstrap konnectivity resources...',
    waitsFor: 'the API behind its real name',
  }),
];
