import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { silentContext } from '../../src/core/context.ts';
import { writeFileAtomic } from '../../src/core/files.ts';
import { acquireLock } from '../../src/core/lock.ts';
import type { Site } from '../../src/site/read-site.ts';
import { sitePaths } from '../../src/site/site-paths.ts';
import { addEvents, dashboardSite, RUN } from './dashboard.ts';

const COMPONENTS = [
  ...['machine-os-content', 'hyperkube', 'etcd', 'pod', 'cluster-version-operator', 'cli'],
  ...['cluster-bootstrap', 'cluster-etcd-operator', 'cluster-kube-apiserver-operator'],
  ...['machine-config-operator', 'cluster-network-operator', 'ovn-kubernetes', 'coredns'],
  ...['haproxy-router', 'oauth-server', 'console', 'prometheus', 'node-exporter', 'tools'],
  ...['cluster-ingress-operator', 'kube-rbac-proxy', 'multus-cni', 'insights-operator'],
  ...['cluster-storage-operator', 'csi-driver', 'docker-registry', 'must-gather', 'installer'],
];
const MACHINES = ['bootstrap', 'master-0', 'master-1', 'master-2', 'worker-0', 'worker-1'];
const GIB = 1024 ** 3;
const digestOf = (index: number) => `sha256:${(index + 1).toString(16).padStart(64, '7')}`;
const sizeOf = (index: number) => Math.round(GIB * (0.08 + ((index * 37) % 50) / 100));

/** A site in the middle of its install that has something to show in every view, and something wrong. */
export async function fullSite({ live = false } = {}): Promise<Site> {
  const site = await dashboardSite(
    {
      '.atoll/install/install-config.yaml': 'metadata:\n  name: north\npullSecret: hidden\n',
      '.atoll/install/nodes/registries.conf': '[[registry]]\nlocation = "quay.io"\n',
      '.atoll/log-bundle/bootstrap/journals/bootkube.log': BOOTKUBE,
      '.atoll/rehearsal.json': JSON.stringify(REHEARSAL),
    },
    { platform: { type: 'lab' }, cluster: { controlPlane: 3, workers: 2 } },
  );
  await addEvents(site, EARLIER, '20251231T220000Z');
  await addEvents(site, live ? eventsOf().slice(0, -2) : eventsOf(), RUN, ticking());
  if (live) await holdLock(site);
  await writeFileAtomic(join(site.state, 'mirror', 'working-dir', 'report.json'), report());
  await writeFileAtomic(join(site.state, 'registry', 'access.log'), accessLog());
  return site;
}

/** A clock by which the events of a run are a while apart, the last one now. */
function ticking(): () => Date {
  const count = eventsOf().length;
  let tick = 0;
  return () => {
    tick += 1;
    return new Date(Date.now() - (count - tick) * 9000);
  };
}

/** A run is under way for as long as somebody holds the lock of its site. */
async function holdLock(site: Site): Promise<void> {
  const lock = await acquireLock(silentContext(), sitePaths(site).lock, 'a test');
  onTestFinished(() => lock.release());
}

const STAGE_TIMES = { infrastructure: 41_000, bastion: 9000, credentials: 300, tools: 22_000 };
const done = (times: Readonly<Record<string, number>>) =>
  Object.entries(times).flatMap(([step, durationMs]) => [
    { type: 'step.started', step, title: step } as const,
    { type: 'step.finished', step, durationMs } as const,
  ]);

const EARLIER = [
  { type: 'run.started', run: '20251231T220000Z', site: 'north' } as const,
  ...done({ ...STAGE_TIMES, registry: 4000, images: 1_460_000, config: 700, cluster: 2_520_000 }),
  {
    type: 'run.finished',
    run: '20251231T220000Z',
    outcome: 'succeeded',
    durationMs: 4_080_000,
  } as const,
];

const blob = (sizeBytes: number) =>
  ({ type: 'blob.copied', digest: 'sha256:1', sizeBytes: Math.round(sizeBytes) }) as const;

const OPERATORS = [
  ...['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'network', 'dns'],
  ...['machine-config', 'cloud-credential', 'config-operator', 'machine-api', 'node-tuning'],
  ...['storage', 'openshift-apiserver', 'service-ca', 'marketplace', 'image-registry'],
  ...['ingress', 'authentication', 'console', 'monitoring', 'insights'],
];
const part = (kind: 'operator' | 'node' | 'member' | 'request', name: string, state: string) =>
  ({ type: 'cluster.changed', kind, name, state, message: saysOf(name, state) }) as const;
const saysOf = (name: string, state: string) =>
  ({
    degraded: `${name}: 1 of 3 members is unhealthy: etcd-master-1`,
    progressing: `${name}: deploying 2 of 3 replicas`,
    pending: 'system:node:worker-1',
    approved: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
  })[state] ?? '';

/** Operators as they settle one after the other; a few do not. */
const comingUp = () => [
  ...OPERATORS.map((name) => part('operator', name, 'unavailable')),
  ...['etcd-bootstrap', 'etcd-master-0', 'etcd-master-1'].map((name, index) =>
    part('member', name, index === 2 ? 'waiting' : 'ready'),
  ),
  ...['csr-8xk2p', 'csr-b7m4q', 'csr-q9d5t'].map((name) => part('request', name, 'approved')),
  ...OPERATORS.slice(0, -5).flatMap((name) => [
    part('operator', name, 'progressing'),
    part('operator', name, 'available'),
  ]),
  ...['master-0', 'master-2'].map((name) => part('node', name, 'ready')),
  part('member', 'etcd-master-2', 'ready'),
  part('member', 'etcd-bootstrap', 'gone'),
  part('operator', 'etcd', 'degraded'),
  part('operator', 'ingress', 'progressing'),
  part('node', 'master-1', 'waiting'),
  part('request', 'csr-z2c8w', 'pending'),
];

const eventsOf = () => [
  { type: 'run.started', run: RUN, site: 'north' } as const,
  ...done({ ...STAGE_TIMES, registry: 3700, images: 1_382_000, config: 800 }),
  ...Array.from({ length: 30 }, (_, index) => blob(GIB * (0.1 + ((index * 7) % 5) / 20))),
  { type: 'blob.mounted', digest: 'sha256:2', sizeBytes: GIB, from: 'a' } as const,
  {
    type: 'warning.raised',
    message: 'The certificate ends in 12 days',
    hint: 'atoll registry renew',
  } as const,
  { type: 'step.started', step: 'cluster', title: 'cluster' } as const,
  ...comingUp(),
  {
    type: 'step.failed',
    step: 'cluster',
    message: 'master-1 could not pull etcd',
    hint: 'atoll mirror retry',
  } as const,
  { type: 'run.finished', run: RUN, outcome: 'failed', durationMs: 1_900_000 } as const,
];

function report(): string {
  const images = COMPONENTS.map((component, index) => ({
    kind: 'component',
    source: `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digestOf(index)}`,
    target: `localhost:8443/openshift/release:4.18.2-x86_64-${component}`,
    digest: digestOf(index),
    reason: 'component of release 4.18.2-x86_64',
    component,
    outcome: 'copied',
    sizeBytes: sizeOf(index),
    copiedBytes: Math.round(sizeOf(index) / 3),
    attempts: 1,
  }));
  return JSON.stringify({ flow: 'sync', images, notCollected: [] });
}

/** Each machine pulls most components; one of them is not there for one machine. */
function accessLog(): string {
  const lines = MACHINES.flatMap((_, machine) =>
    COMPONENTS.flatMap((_component, index) =>
      (index + machine * 3) % 7 > 4 ? [] : pullOf(machine, index),
    ),
  );
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

function pullOf(machine: number, index: number): readonly object[] {
  // One image after the other; the last ones now.
  const atMs = Date.now() - (COMPONENTS.length - index) * 4000 + machine * 150;
  const common = {
    ...{ at: new Date(atMs).toISOString(), listener: 'store', method: 'GET', path: '/' },
    ...{ client: `127.0.0.${machine + 11}`, agent: 'cri-o', repository: 'openshift/release' },
    ...{ complete: true, bytesReceived: 0, bytesSent: 900, durationMs: 3 },
  };
  const digest = digestOf(index);
  const manifest = { ...common, route: 'manifest', reference: digest };
  if (machine === 2 && index === 2)
    return [{ ...manifest, status: 404, error: 'MANIFEST_UNKNOWN' }];
  // The last ones are still on their way.
  const bytesSent = Math.round(sizeOf(index) * (index > 21 ? 0.4 : 1));
  return [
    { ...manifest, status: 200, digest },
    {
      ...common,
      at: new Date(atMs + 3000).toISOString(),
      route: 'blob',
      status: 200,
      ...{ digest: 'sha256:b', bytesSent },
    },
  ];
}

const BOOTKUBE = `Jan 01 00:00:01 bootstrap bootkube.sh[2]: Rendering Cluster Version Operator Manifests...
Jan 01 00:00:09 bootstrap bootkube.sh[2]: Rendering Cluster Etcd Operator Core Manifests...
Jan 01 00:00:31 bootstrap bootkube.sh[2]: Rendering MCO manifests...
Jan 01 00:01:12 bootstrap bootkube.sh[2]: Error: initializing source docker://quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digestOf(2)}: reading manifest ${digestOf(2)} in localhost:8443/openshift/release: manifest unknown
`;

const REHEARSAL = {
  clean: false,
  images: 28,
  pullable: 26,
  registries: ['localhost:8443'],
  unchecked: ['signatures: no key was given'],
  findings: [
    {
      cause: 'image-missing',
      severity: 'hole',
      fault: 'content',
      title: 'The mirror lacks an image that nodes will pull',
      rule: 'images of the release are in the mirror',
      commands: ['atoll mirror sync -c imageset.yaml --to docker://localhost:8443'],
      evidence: ['404 MANIFEST_UNKNOWN'],
      images: [
        {
          name: `quay.io/openshift-release-dev/etcd@${digestOf(2)}`,
          reason: 'component of release 4.18.2',
        },
        {
          name: `quay.io/openshift-release-dev/tools@${digestOf(18)}`,
          reason: 'component of release 4.18.2',
        },
      ],
    },
    {
      cause: 'certificate-ends-soon',
      severity: 'warning',
      fault: 'configuration',
      title: 'The certificate of the mirror ends in 12 days',
      rule: 'a certificate outlives the install',
      commands: ['atoll registry renew'],
      evidence: ['not after 2026-01-13'],
      images: [],
    },
  ],
};
