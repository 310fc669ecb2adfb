import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { formatFailedUnits } from '../../src/observe/formats/failed-units.ts';
import { formatLogrus } from '../../src/observe/formats/installer-log.ts';
import {
  formatShort,
  formatWithUnit,
  type JournalEntry,
} from '../../src/observe/formats/journal-text.ts';
import {
  formatServiceRecord,
  recordTimestamp,
  type ServiceRecordEntry,
} from '../../src/observe/formats/service-record.ts';

/** A log bundle as `openshift-install gather bootstrap` makes it: paths without the leading folder. */
export interface LogBundle {
  readonly id: string;
  readonly gatheredAt: Date;
  readonly files: Map<string, string | Buffer>;
}

export type Scenario = 'healthy' | 'node-image-pull' | 'api-never-up' | 'etcd-never-handed-over';

const BOOT = new Date('2026-08-20T10:00:00Z');
const HOST = 'bootstrap.c1.example.com';
const RELEASE = `quay.io/openshift-release-dev/ocp-release@sha256:${'ab'.repeat(32)}`;
const RENDER_STAGES = [
  'openshift-manifests',
  'api-bootstrap',
  'auth-api-bootstrap',
  'config-bootstrap',
  'cvo-bootstrap',
  'etcd-bootstrap',
  'kube-apiserver-bootstrap',
  'kube-controller-manager-bootstrap',
  'kube-scheduler-bootstrap',
  'ingress-operator-bootstrap',
  'node-tuning-bootstrap',
  'mco-bootstrap',
  'resolve-api-url',
  'resolve-api-int-url',
  'cco-bootstrap',
] as const;
const PODS = [
  'openshift-kube-apiserver/kube-apiserver',
  'openshift-kube-scheduler/openshift-kube-scheduler',
  'openshift-kube-controller-manager/kube-controller-manager',
  'openshift-cluster-version/cluster-version-operator',
];

/** Writes down what happens on a machine, second by second. */
function createMachine() {
  let now = BOOT.getTime();
  const journal: JournalEntry[] = [];
  const records = new Map<string, ServiceRecordEntry[]>();

  const at = () => new Date(now);
  const pass = (seconds: number) => {
    now += seconds * 1000;
  };
  const say = (unit: string, program: string, message: string, pid = 1420) =>
    journal.push({ at: at(), host: HOST, unit: `${unit}.service`, program, pid, message });
  const systemd = (message: string) =>
    journal.push({ at: at(), host: HOST, unit: 'init.scope', program: 'systemd', pid: 1, message });
  const record = (service: string, entry: Omit<ServiceRecordEntry, 'timestamp'>) =>
    records.set(service, [
      ...(records.get(service) ?? []),
      { timestamp: recordTimestamp(at()), ...entry },
    ]);
  const stage = (service: string, name: string, seconds: number) => {
    record(service, { phase: 'stage start', stage: name });
    pass(seconds);
    record(service, { phase: 'stage end', stage: name, result: 'success' });
  };
  return { at, pass, say, systemd, record, stage, journal, records };
}

type Machine = ReturnType<typeof createMachine>;

/** A bundle of a bootstrap that went well, or hangs where the scenario says. */
export function logBundle(scenario: Scenario): LogBundle {
  const machine = createMachine();
  boot(machine);
  if (scenario === 'node-image-pull') pullForEver(machine);
  else {
    services(machine);
    if (scenario === 'api-never-up') apiNeverUp(machine);
    else controlPlane(machine, scenario);
  }
  return bundleOf(machine, scenario);
}

function boot(machine: Machine): void {
  const kernel = { unit: 'init.scope', program: 'kernel', pid: 0, host: HOST };
  machine.journal.push({ ...kernel, at: machine.at(), message: 'Linux version 5.14.0-427.el9' });
  machine.say('ignition-files', 'ignition', 'Ignition 2.20.0', 800);
  machine.pass(12);
  machine.say('ignition-files', 'ignition', 'Ignition finished successfully', 800);
  machine.pass(20);
  machine.systemd('Reached target basic.target - Basic System.');
  machine.systemd('Starting node-image-pull.service - CoreOS Node Image Pull...');
  const pull = (message: string) => machine.say('node-image-pull', 'node-image-pull.sh', message);
  pull('Warning: Could not resolve release image to pull by digest');
}

function pullForEver(machine: Machine): void {
  for (let count = 0; count < 240; count += 1) {
    machine.say(
      'node-image-pull',
      'podman',
      `Error: initializing source docker://${RELEASE}: (Mirrors also failed: [mirror.lab:5000/openshift/release@sha256:${'ab'.repeat(32)}: pinging container registry mirror.lab:5000: Get "https://mirror.lab:5000/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority]): ${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 3.2.1.0:443: i/o timeout`,
    );
    machine.say(
      'node-image-pull',
      'node-image-pull.sh',
      'Failed to query MCO image from release; retrying...',
    );
    machine.pass(10);
  }
}

function services(machine: Machine): void {
  machine.pass(30);
  machine.say('node-image-pull', 'node-image-pull.sh', `Pulling ${RELEASE}`);
  machine.pass(60);
  machine.say('node-image-pull', 'node-image-pull.sh', 'Checking out node image content');
  machine.pass(10);
  machine.say('node-image-overlay', 'node-image-overlay.sh', 'Node image overlay complete');
  machine.record('release-image', { phase: 'service start' });
  machine.stage('release-image', 'pull-release-image', 8);
  machine.stage('release-image', 'image-metadata-arches-match', 1);
  machine.record('release-image', { phase: 'service end', result: 'success' });
  machine.record('crio-configure', { phase: 'service start' });
  machine.pass(2);
  machine.record('crio-configure', { phase: 'service end', result: 'success' });
  machine.systemd('Starting Container Runtime Interface for OCI (CRI-O)...');
  machine.pass(1);
  machine.systemd('Started Container Runtime Interface for OCI (CRI-O).');
  const preCommand = 'kubelet-pause-image';
  machine.record('kubelet', { phase: 'pre-command start', preCommand });
  machine.pass(1);
  machine.record('kubelet', { phase: 'pre-command end', preCommand, result: 'success' });
  machine.systemd('Started kubelet.service - Kubernetes Kubelet.');
  machine.record('bootkube', { phase: 'service start' });
  for (const name of RENDER_STAGES) machine.stage('bootkube', name, 6);
  machine.stage('bootkube', 'wait-for-etcd', 20);
  machine.say('bootkube', 'bootkube.sh', 'Starting cluster-bootstrap...', 2100);
  machine.record('bootkube', { phase: 'stage start', stage: 'cb-bootstrap' });
}

function apiNeverUp(machine: Machine): void {
  for (let count = 0; count < 40; count += 1) {
    machine.pass(60);
    machine.say('kubelet', 'kubenswrapper', imagePullError(), 2519);
  }
}

const imagePullError = (): string =>
  `E0820 10:20:00.000000    2519 pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"kube-apiserver\\" with ErrImagePull: \\"initializing source docker://quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:cd: (Mirrors also failed: [mirror.lab:5000/openshift/release@sha256:cd: reading manifest sha256:cd in mirror.lab:5000/openshift/release: manifest unknown]): quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:cd: pinging container registry quay.io: Get \\"https://quay.io/v2/\\": dial tcp 3.2.1.0:443: i/o timeout\\""`;

function controlPlane(machine: Machine, scenario: Scenario): void {
  const say = (message: string) => machine.say('bootkube', 'bootkube.sh', message, 2100);
  machine.pass(90);
  say('API is up');
  for (const pod of PODS) say(`\tPod Status:${pod}\tDoesNotExist`);
  machine.pass(240);
  const approved = 'certificatesigningrequest.certificates.k8s.io/csr-8b2x5 approved';
  machine.say('approve-csr', 'approve-csr.sh', approved, 2200);
  machine.pass(300);
  for (const pod of PODS) say(`\tPod Status:${pod}\tReady`);
  machine.record('bootkube', { phase: 'stage end', stage: 'cb-bootstrap', result: 'success' });
  machine.stage('bootkube', 'cvo-overrides', 4);
  machine.record('bootkube', { phase: 'stage start', stage: 'wait-for-ceo' });
  if (scenario === 'etcd-never-handed-over') waitForEver(machine, say);
  else complete(machine, say);
}

function waitForEver(machine: Machine, say: (message: string) => void): void {
  for (let count = 0; count < 45; count += 1) {
    say(
      'I0820 waitforceo.go:67] waiting on condition EtcdRunningInCluster in etcd CR /cluster to be True.',
    );
    machine.pass(60);
  }
}

function complete(machine: Machine, say: (message: string) => void): void {
  machine.pass(120);
  machine.record('bootkube', { phase: 'stage end', stage: 'wait-for-ceo', result: 'success' });
  machine.stage('bootkube', 'check-api-url', 1);
  machine.stage('bootkube', 'check-api-int-url', 1);
  say('bootkube.service complete');
  machine.record('bootkube', { phase: 'service end', result: 'success' });
  machine.record('progress', { phase: 'service start' });
  machine.stage('progress', 'report-bootstrap-complete', 5);
  machine.record('progress', { phase: 'service end', result: 'success' });
}

function bundleOf(machine: Machine, scenario: Scenario): LogBundle {
  const files = new Map<string, string | Buffer>();
  const lines = (entries: readonly JournalEntry[], format: (entry: JournalEntry) => string) =>
    entries.map((entry) => `${format(entry)}\n`).join('');
  for (const [service, entries] of machine.records) {
    files.set(`bootstrap/services/${service}.json`, formatServiceRecord(entries));
  }
  for (const unit of [
    'release-image',
    'crio-configure',
    'bootkube',
    'kubelet',
    'crio',
    'approve-csr',
  ]) {
    const own = machine.journal.filter((entry) => entry.unit === `${unit}.service`);
    files.set(`bootstrap/journals/${unit}.log`, lines(own, formatShort));
  }
  const whole = lines(machine.journal, formatWithUnit);
  files.set('bootstrap/journals/journal.log.gz', gzipSync(whole));
  files.set('failed-units.txt', formatFailedUnits([]));
  files.set('gather.log', 'Gathering bootstrap systemd summary ...\n');
  if (scenario === 'healthy' || scenario === 'etcd-never-handed-over') addControlPlane(files);
  return { id: '20260820105959', gatheredAt: machine.at(), files };
}

function addControlPlane(files: Map<string, string | Buffer>): void {
  const requested =
    '2026-08-20T10:06:30.000000000Z I0820 10:06:30.000000       1 api.go:117] Pool master requested by address:"10.0.1.5:34567" User-Agent:"Ignition/2.20.0"\n';
  files.set(`bootstrap/containers/machine-config-server-${'0'.repeat(63)}1.log`, requested);
  files.set('control-plane/10.0.1.5/journals/kubelet.log', '');
  files.set('control-plane/10.0.1.5/failed-units.txt', formatFailedUnits([]));
  files.set('resources/nodes.json', JSON.stringify({ kind: 'List', items: [] }));
}

/** `.openshift_install.log` of an install that went well. */
export function installerLog(): string {
  const line = (minutes: number, message: string, level = 'info') =>
    formatLogrus(new Date(BOOT.getTime() + minutes * 60_000), level, message);
  return [
    line(
      0,
      'Waiting up to 20m0s (until 10:20AM UTC) for the Kubernetes API at https://api.c1.example.com:6443...',
    ),
    line(6, 'API v1.31.6 up'),
    line(6, 'Waiting up to 45m0s (until 10:51AM UTC) for bootstrapping to complete...'),
    line(20, 'Waiting for the bootstrap etcd member to be removed...'),
    line(22, 'Bootstrap etcd member has been removed'),
    line(22, 'It is now safe to remove the bootstrap resources'),
    line(22, 'Destroying the bootstrap resources...'),
    line(
      25,
      'Waiting up to 40m0s (until 11:05AM UTC) for the cluster at https://api.c1.example.com:6443 to initialize...',
    ),
    line(40, 'Install complete!'),
    '',
  ].join('\n');
}

/** The bundle as one file. */
export async function logBundleArchive(bundle: LogBundle): Promise<Buffer> {
  const archive = pack();
  for (const [path, content] of bundle.files) {
    archive.entry({ name: `log-bundle-${bundle.id}/${path}`, mtime: bundle.gatheredAt }, content);
  }
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}

/** The bundle unpacked under a directory, with the times an archive keeps. */
export async function writeLogBundle(directory: string, bundle: LogBundle): Promise<string> {
  const root = join(directory, `log-bundle-${bundle.id}`);
  for (const [path, content] of bundle.files) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    await utimes(file, bundle.gatheredAt, bundle.gatheredAt);
  }
  return root;
}
