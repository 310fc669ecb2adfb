import { type BootstrapStep, failed, finished, INSTALLER, loops, notes, started } from './step.ts';

const BOOTKUBE = ['journal:bootstrap/bootkube'];
const CONSOLE = ['console:node'];
const CONFIG_SERVER = [
  'pod:openshift-machine-config-operator/machine-config-server',
  'pod:unknown/*',
];
const WAIT = 'Waiting up to \\S+ (?:\\(until [^)]*\\) )?for';
const REMOVABLE = 'It is now safe to remove the bootstrap resources';
const INITIALIZING = `${WAIT} the cluster at \\S+ to initialize`;

/** What happens while cluster-bootstrap waits. */
export const CONTROL_PLANE_STEPS: readonly BootstrapStep[] = [
  {
    id: 'temporary-control-plane',
    title: 'Temporary control plane up',
    lane: 'API server',
    part: 2,
    startsWith: 'cb-bootstrap',
    limitMinutes: 20,
    waitsFor: 'the kube-apiserver static pod on the bootstrap machine',
    signals: [
      started(
        'Starting cluster-bootstrap\\.\\.\\.|Starting temporary bootstrap control plane',
        BOOTKUBE,
      ),
      finished('\\bAPI is up\\b|Pod Status:', BOOTKUBE),
      failed('time out waiting for Kubernetes API', BOOTKUBE),
      // Said right after "API v… up", which is too short and too quoted to be looked for.
      finished(`${WAIT} bootstrapping to complete`, INSTALLER),
      loops('Still waiting for the Kubernetes API: (?<note>.*)', INSTALLER),
    ],
  },
  {
    id: 'masters-ignition',
    title: 'Masters fetched their config',
    lane: 'masters',
    part: 3,
    startsAfter: 'mco-bootstrap',
    oftenUnseen: true,
    parallel: true,
    unless: 'in place',
    limitMinutes: 20,
    waitsFor: 'masters to reach port 22623 of api-int',
    signals: [
      started('GET https?://\\S+:22623/config/master', CONSOLE),
      loops('GET error: (?<note>.*22623/config/master.*)', CONSOLE),
      finished('Pool master requested by', CONFIG_SERVER),
    ],
  },
  {
    id: 'csr',
    title: 'Masters joined (CSRs approved)',
    lane: 'masters',
    part: 3,
    startsAfter: 'masters-ignition',
    parallel: true,
    unless: 'in place',
    limitMinutes: 20,
    waitsFor: 'the first boot of the masters: OS image from the mirror, then kubelet',
    signals: [
      started('Pool master requested by', CONFIG_SERVER),
      finished(
        'certificatesigningrequest\\S* approved|certificatesigningrequest\\.certificates\\.k8s\\.io/\\S+ approved',
        ['journal:bootstrap/approve-csr'],
      ),
    ],
  },
];

/** From the end of bootkube to a cluster. */
export const INSTALL_STEPS: readonly BootstrapStep[] = [
  {
    id: 'bootkube-complete',
    title: 'bootkube complete',
    lane: 'bootkube',
    part: 6,
    startsAfter: 'wait-for-ceo',
    limitMinutes: 5,
    waitsFor: 'bootkube.service',
    signals: [finished('bootkube\\.service complete', BOOTKUBE)],
  },
  {
    // It waits for all of bootkube from the beginning, so its own age says little.
    id: 'wait-for-bootstrap-complete',
    title: 'End of bootkube noticed',
    lane: 'System',
    parallel: true,
    unless: 'in place',
    limitMinutes: 120,
    waitsFor: 'bootkube to end',
    service: 'progress',
    stage: 'wait-for-bootstrap-complete',
    starts: 'Waiting for bootstrap to complete...',
  },
  {
    id: 'report-bootstrap-complete',
    title: 'Bootstrap reported complete',
    lane: 'System',
    part: 7,
    startsAfter: 'bootkube-complete',
    unless: 'in place',
    completes: true,
    limitMinutes: 20,
    waitsFor: 'two API servers on masters',
    service: 'progress',
    stage: 'report-bootstrap-complete',
    starts: 'Reporting install progress...',
    signals: [
      notes('(?<note>Got the following nodes with revision rolled out:.*)'),
      finished(`Bootstrap status: complete|${REMOVABLE}`, INSTALLER),
    ],
  },
  {
    id: 'etcd-member-removed',
    title: 'Bootstrap etcd member removed',
    lane: 'etcd',
    part: 7,
    startsAfter: 'report-bootstrap-complete',
    seenByInstaller: true,
    limitMinutes: 15,
    waitsFor: 'condition EtcdBootstrapMemberRemoved (the installer waits without a deadline)',
    signals: [
      started('Waiting for the bootstrap etcd member to be removed', INSTALLER),
      finished(`Bootstrap etcd member has been removed|${REMOVABLE}`, INSTALLER),
    ],
  },
  {
    id: 'bootstrap-removed',
    title: 'Bootstrap machine removed',
    lane: 'System',
    part: 8,
    startsAfter: 'etcd-member-removed',
    seenByInstaller: true,
    limitMinutes: 10,
    waitsFor: 'the installer, or you where you own the machines',
    signals: [
      started(`Destroying the bootstrap resources|${REMOVABLE}`, INSTALLER),
      finished(
        `Finished destroying bootstrap resources|Bootstrap Destroy: |${INITIALIZING}`,
        INSTALLER,
      ),
    ],
  },
  {
    id: 'workers',
    title: 'Workers joined',
    lane: 'workers',
    part: 9,
    seenByInstaller: true,
    parallel: true,
    limitMinutes: 30,
    waitsFor: 'worker machines: config from port 22623, OS image, CSRs',
    signals: [
      started('Pool worker requested by', CONFIG_SERVER),
      loops('GET error: (?<note>.*22623/config/worker.*)', CONSOLE),
      finished('Install complete!', INSTALLER),
    ],
  },
  {
    id: 'operators',
    title: 'Operators available',
    lane: 'operators',
    part: 10,
    seenByInstaller: true,
    limitMinutes: 40,
    waitsFor: 'ClusterVersion to become available',
    signals: [
      started(INITIALIZING, INSTALLER),
      notes(
        '(?:Still waiting for the cluster to initialize: |Working towards )(?<note>.*)',
        INSTALLER,
      ),
      finished('Install complete!', INSTALLER),
      failed('failed to initialize the cluster: (?<note>.*)', INSTALLER),
    ],
  },
];
