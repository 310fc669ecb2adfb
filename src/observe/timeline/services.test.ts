import { expect, test } from 'vitest';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import type { BootstrapState } from './state.ts';
import { createTimeline, type Observation } from './timeline.ts';

const START = Date.parse('2026-08-20T10:00:00Z');
const at = (minute: number) => new Date(START + minute * 60_000);

type Entry = Omit<ServiceRecordEntry, 'timestamp'>;

/** A record with one entry per minute. */
function record(service: string, entries: readonly Entry[]): Observation {
  const timed = entries.map((entry, minute) => ({ timestamp: at(minute).toISOString(), ...entry }));
  return { kind: 'record', service, entries: timed };
}

const started = { phase: 'service start' } as const;
const begins = (stage: string) => ({ phase: 'stage start', stage }) as const;
const succeeds = (stage: string) => ({ phase: 'stage end', stage, result: 'success' }) as const;
const fails = (stage: string) => ({ phase: 'stage end', stage, result: 'failure' }) as const;
const dies = (errorMessage = 'exit 1') =>
  ({ phase: 'service end', result: 'failure', errorMessage }) as const;

const line = (minute: number, text: string, unit = 'bootkube'): Observation => ({
  kind: 'line',
  origins: [`journal:bootstrap/${unit}`],
  text,
  at: at(minute),
});

function stateOf(observations: readonly Observation[], now?: Date): BootstrapState {
  const timeline = createTimeline();
  for (const observation of observations) timeline.push(observation);
  return timeline.state(now);
}

const stepOf = (state: BootstrapState, id: string) => state.steps.find((step) => step.id === id);

test('createTimeline shows a failed stage nobody knows by its own name, where it happened', () => {
  const entries = [
    ...[started, begins('etcd-bootstrap'), succeeds('etcd-bootstrap')],
    ...[begins('quantum-bootstrap'), fails('quantum-bootstrap'), dies()],
  ];

  const state = stateOf([record('bootkube', entries)]);

  expect(state).toMatchObject({ verdict: 'failed', current: 'quantum-bootstrap' });
  const ids = state.steps.map(({ id }) => id);
  expect(ids.indexOf('quantum-bootstrap')).toBe(ids.indexOf('etcd-bootstrap') + 1);
  expect(stepOf(state, 'quantum-bootstrap')?.title).toContain('quantum-bootstrap');
});

test('createTimeline keeps stages it does not know in their order, and those of services it does not know', () => {
  const state = stateOf([
    record('bootkube', [
      started,
      ...[begins('one'), succeeds('one'), begins('two'), succeeds('two')],
      ...[begins('api-bootstrap'), succeeds('api-bootstrap')],
    ]),
    record('site-hook', [started, begins('load'), fails('load'), dies()]),
  ]);

  const ids = state.steps.map(({ id }) => id);
  expect(ids.slice(ids.indexOf('kubelet') + 1).slice(0, 4)).toEqual([
    ...['one', 'two', 'openshift-manifests', 'api-bootstrap'],
  ]);
  expect(state).toMatchObject({ verdict: 'failed', current: 'load' });
});

test('createTimeline removes what could act on a terminal from the name of a stage', () => {
  const state = stateOf([record('bootkube', [started, begins('evil\u001b[2Jstage')])]);

  expect(JSON.stringify(state.steps.map(({ title }) => title))).not.toContain('u001b');
});

test('createTimeline knows the stages of Konnectivity, and shows them only where they are', () => {
  const certs = 'konnectivity-certs';
  const server = 'konnectivity-server-bootstrap';
  const entries = [started, begins(certs), succeeds(certs), begins(server), fails(server), dies()];

  const state = stateOf([record('bootkube', entries)]);

  expect(state).toMatchObject({ verdict: 'failed', current: server });
  expect(stepOf(state, 'konnectivity-cleanup')?.state).toBe('waiting');
  const without = stateOf([record('bootkube', [started, begins('etcd-bootstrap')])]);
  expect(without.steps.filter(({ id }) => id.startsWith('konnectivity'))).toEqual([]);
});

test('createTimeline calls a service that failed between its stages failed', () => {
  const entries = [started, begins('openshift-manifests'), succeeds('openshift-manifests')];
  const message = 'error: unable to read image quay.io/release: unauthorized';

  const state = stateOf([record('bootkube', [...entries, dies(message)])]);

  expect(state).toMatchObject({ verdict: 'failed', current: 'bootkube.service' });
  expect(stepOf(state, 'bootkube.service')).toMatchObject({ state: 'failed', lastError: message });
});

test('createTimeline counts how often a service was started again, and calls it stuck in the end', () => {
  const run = [dies('unauthorized'), started];
  const entries = [
    ...[started, begins('openshift-manifests'), succeeds('openshift-manifests')],
    ...[...run, ...run, ...run],
  ];

  const soon = stateOf([record('bootkube', entries)]);
  const late = stateOf([record('bootkube', entries)], at(60));

  expect(soon).toMatchObject({ verdict: 'running', current: 'bootkube.service' });
  expect(stepOf(soon, 'bootkube.service')).toMatchObject({ state: 'running', tries: 3 });
  expect(late).toMatchObject({ verdict: 'stuck', current: 'bootkube.service' });
});

test('createTimeline forgets a failure between stages once a later run came further', () => {
  const entries = [
    ...[started, begins('openshift-manifests'), succeeds('openshift-manifests')],
    ...[dies(), started, begins('api-bootstrap')],
  ];

  const state = stateOf([record('bootkube', entries)]);

  expect(state).toMatchObject({ verdict: 'running', current: 'api-bootstrap' });
});

test('createTimeline does not take a stage whose failure is tolerated for the end of a service', () => {
  const entries = [started, begins('resolve-api-url'), fails('resolve-api-url'), dies()];

  const state = stateOf([record('bootkube', entries)]);

  expect(stepOf(state, 'resolve-api-url')).toMatchObject({ state: 'failed', tolerated: true });
  expect(state).toMatchObject({ verdict: 'failed', current: 'bootkube.service' });
});

const FAILED = "bootkube.service: Failed with result 'exit-code'.";

test('createTimeline believes systemd that a service failed', () => {
  const state = stateOf([
    line(0, 'Rendering cluster config manifests...'),
    line(1, 'Rendering CEO Manifests...'),
    line(2, FAILED, 'systemd'),
  ]);

  expect(state).toMatchObject({ verdict: 'failed', current: 'etcd-bootstrap' });
  expect(stepOf(state, 'config-bootstrap')?.state).toBe('done');
});

test('createTimeline takes a service that was started again for running', () => {
  const state = stateOf([
    line(1, 'Rendering CEO Manifests...'),
    line(2, FAILED, 'systemd'),
    line(3, 'Rendering CEO Manifests...'),
  ]);

  expect(state).toMatchObject({ verdict: 'running', current: 'etcd-bootstrap' });
});

test('createTimeline reads the list of failed units', () => {
  const listed: Observation = {
    kind: 'line',
    origins: ['file:failed-units.txt'],
    text: '● node-image-pull.service loaded failed failed Node Image Pull',
  };
  const pull = line(0, 'Failed to fetch release image; retrying...', 'node-image-pull');

  expect(stateOf([pull, listed])).toMatchObject({
    verdict: 'failed',
    current: 'node-image-pull',
  });
});

test('createTimeline shows a single node that installs itself as that', () => {
  const state = stateOf([
    line(0, 'Starting cluster-bootstrap...'),
    line(3, 'Stop etcd static pod by moving the manifest'),
    line(4, 'Creating master ignition and writing it to disk'),
    line(6, 'bootkube.service complete'),
    line(7, 'Executing coreos-installer with the following options: install', 'install-to-disk'),
  ]);

  expect(state).toMatchObject({ verdict: 'running', current: 'install-to-disk-coreos-installer' });
  const ids = state.steps.map(({ id }) => id);
  expect(ids).not.toContain('wait-for-ceo');
  expect(ids).not.toContain('report-bootstrap-complete');
});

test('createTimeline follows the provisioning of masters on bare metal', () => {
  const state = stateOf(
    [
      line(0, 'Started ironic.service - Ironic baremetal deployment service.', 'systemd'),
      line(2, 'Waiting for 3 masters to become provisioned', 'master-bmh-update'),
    ],
    at(90),
  );

  expect(stepOf(state, 'ironic')?.state).toBe('done');
  expect(stepOf(state, 'master-bmh-update')).toMatchObject({ state: 'stuck', tries: 1 });
});

/** What bootkube.sh of openshift/installer prints, in order, and where it is stuck when that is its last line. */
const WORDS: readonly (readonly [text: string, step: string])[] = [
  ['Moving OpenShift manifests in with the rest of them', 'openshift-manifests'],
  ['Rendering api manifests...', 'api-bootstrap'],
  ['Rendering auth api manifests...', 'auth-api-bootstrap'],
  ['Rendering cluster config manifests...', 'config-bootstrap'],
  ['Rendering Cluster Version Operator Manifests...', 'cvo-bootstrap'],
  ['Rendering CEO Manifests...', 'etcd-bootstrap'],
  [
    'Generating Konnectivity certificates in /opt/openshift/tls/konnectivity...',
    'konnectivity-certs',
  ],
  ['Creating Konnectivity server static pod manifest...', 'konnectivity-server-bootstrap'],
  ['Rendering Kubernetes API server core manifests...', 'kube-apiserver-bootstrap'],
  [
    'Rendering Kubernetes Controller Manager core manifests...',
    'kube-controller-manager-bootstrap',
  ],
  ['Rendering Kubernetes Scheduler core manifests...', 'kube-scheduler-bootstrap'],
  ['Rendering Ingress Operator core manifests...', 'ingress-operator-bootstrap'],
  ['Rendering Node Tuning core manifests...', 'node-tuning-bootstrap'],
  ['Rendering MCO manifests...', 'mco-bootstrap'],
  ['Check if API URL is resolvable during bootstrap', 'resolve-api-url'],
  ['Check if API-Int URL is resolvable during bootstrap', 'resolve-api-int-url'],
  ['Rendering CCO manifests...', 'cco-bootstrap'],
  ['etcdctl failed. Retrying in 5 seconds...', 'wait-for-etcd'],
  ['Creating Konnectivity agent manifests...', 'konnectivity-agent-manifest'],
  ['Starting cluster-bootstrap...', 'temporary-control-plane'],
  ['Restoring CVO overrides', 'cvo-overrides'],
  ['Waiting for CEO to finish...', 'wait-for-ceo'],
  ['Check if API URL is reachable during bootstrap', 'check-api-url'],
  ['Check if API-Int URL is reachable during bootstrap', 'check-api-int-url'],
  ['Cleaning up bootstrap konnectivity resources...', 'konnectivity-cleanup'],
];

test.each(WORDS)('createTimeline knows from a journal alone that "%s" is %s', (text, step) => {
  const last = WORDS.findIndex(([words]) => words === text);
  const lines = WORDS.slice(0, last + 1).map(([words], minute) => line(minute, words));

  const state = stateOf(lines, at(last + 100));

  expect(state).toMatchObject({ verdict: 'stuck', current: step });
});

test.each([
  ['Successfully resolved API_URL api.c1.example.com', 'resolve-api-url', 'done'],
  ['Unable to resolve API_INT_URL api-int.c1.example.com', 'resolve-api-int-url', 'failed'],
  [
    "Unable to reach API_URL's https endpoint at https://api:6443/readyz",
    'check-api-url',
    'failed',
  ],
  ['clusterversion.config.openshift.io/version patched', 'cvo-overrides', 'done'],
])('createTimeline reads the outcome "%s"', (text, id, outcome) => {
  expect(stepOf(stateOf([line(1, text)]), id)?.state).toBe(outcome);
});
