import { expect, test } from 'vitest';
import { FakeScreen } from '../../../test/support/screen.ts';
import { prettyReporter } from '../../cli/reporters/pretty.ts';
import { createStyle } from '../../cli/style.ts';
import { recordingContext } from '../../core/context.ts';
import { InstallView } from './install-view.ts';
import type { ClusterLook } from './look-cluster.ts';
import { PullWatch } from './pulls.ts';

const START = new Date('2026-01-01T10:00:00Z').getTime();
const MINUTE_MS = 60_000;
const NAMES: Readonly<Record<string, string>> = {
  '192.0.2.9': 'bootstrap',
  '192.0.2.10': 'master-0',
  '192.0.2.20': 'worker-0',
};

/** An install that is watched, with a clock that belongs to the test. */
function watched() {
  const screen = new FakeScreen(110, 30);
  let nowMs = START;
  const reporter = prettyReporter({
    screen,
    style: createStyle(false),
    verbosity: 'normal',
    nowMs: () => nowMs,
  });
  const recording = recordingContext({ now: () => new Date(nowMs) });
  const ctx = {
    ...recording,
    emit: (event: Parameters<typeof recording.emit>[0]) => {
      recording.emit(event);
      reporter.report(event);
    },
  };
  const pulls = new PullWatch({
    startedMs: START,
    machineAt: (client) => NAMES[client] ?? client,
    imageOf: (digest) => ({ 'sha256:e': 'etcd', 'sha256:m': 'machine-config-operator' })[digest],
  });
  const expected = ['master-0', 'worker-0'];
  const view = new InstallView(ctx, {
    ...{ pulls, expected, bootstrap: 'bootstrap', mirror: 'mirror.example:5000' },
  });
  const at = (minutes: number) => {
    nowMs = START + minutes * MINUTE_MS;
  };
  const ask = (client: string, digest: string, more: object = {}) =>
    pulls.take({
      ...{ at: new Date(nowMs).toISOString(), client, status: 200 },
      ...{ route: 'manifest', repository: 'openshift/release', reference: digest, digest },
      ...{ listener: 'store', method: 'GET', path: '/v2/', complete: true },
      ...{ bytesReceived: 100, bytesSent: 1024, durationMs: 1, ...more },
    });
  const warnings = () =>
    recording.events.flatMap((event) => (event.type === 'warning.raised' ? [event.message] : []));
  const shown = () => {
    reporter.pause();
    reporter.resume();
    return screen.text.join('\n');
  };
  return { view, at, ask, warnings, shown, events: recording.events };
}

const LOOK: ClusterLook = {
  progress: 'Working towards 4.18.2: 300 of 900 done (33% complete)',
  isInstalled: false,
  isBootstrapped: false,
  operators: [
    { name: 'etcd', settled: true, degraded: undefined },
    { name: 'console', settled: false, degraded: undefined },
  ],
  nodes: [{ name: 'master-0', ready: true }],
  pending: [],
  stuckPools: [],
  parts: [],
};

test('InstallView shows phase, time against the usual, last words, and what each machine pulls now', () => {
  const { view, at, ask, shown } = watched();
  view.tell();
  at(2);
  view.heard('level=info msg="Waiting up to 20m0s (until 10:22) for the Kubernetes API"');
  ask('192.0.2.9', 'sha256:e');
  view.tell();
  at(3);
  ask('192.0.2.9', 'sha256:m', { bytesSent: 2048 });
  view.tell();

  const screen = shown();

  expect(screen).toContain('Machines boot: done after 2m');
  expect(screen).toMatch(/The bootstrap machine starts a control plane: 1m .*of usually 20m/);
  expect(screen).toContain('for the Kubernetes API');
  expect(screen).toMatch(/bootstrap: pulls machine-config-operator for ".+", 2 images so far/);
});

test('InstallView shows operators as they settle and machines as they become nodes', () => {
  const { view, at, ask, shown } = watched();
  ask('192.0.2.10', 'sha256:e');
  view.tell();
  at(5);
  view.saw({ ...LOOK, nodes: [] });
  view.tell();
  view.saw({ ...LOOK, isBootstrapped: true });
  view.heard('level=info msg="It is now safe to remove the bootstrap resources"');
  view.tell();

  const screen = shown();

  expect(screen).toContain('Operator etcd is available (1 of 2)');
  expect(screen).toContain('✓ master-0: it is a node, after 1 images');
  expect(screen).toContain('The bootstrap machine is not needed any more');
  expect(screen).toMatch(/Operators: waiting for console .*50% +1\/2/);
  expect(screen).toMatch(/Operators settle: .*Working towards 4\.18\.2/);
});

test('InstallView tells nothing twice, and leaves nothing on the screen', () => {
  const { view, at, events, shown } = watched();
  for (const minute of [1, 2, 3]) {
    at(minute);
    view.saw(LOOK);
    view.tell();
  }
  view.finish();

  const notes = events.filter(({ type }) => type === 'note.added');
  expect(notes).toEqual([expect.objectContaining({ message: expect.stringContaining('etcd') })]);
  expect(shown().split('\n').at(-1)).toContain('✓');
});

test('InstallView says within minutes that a machine asks in vain for an image, and which', () => {
  const { view, at, ask } = watched();
  const missing = { status: 404, digest: undefined, reference: 'sha256:gone' };
  ask('192.0.2.9', '', { ...missing, reference: 'sha256-abc.sig' });
  for (const minute of [0, 1, 2]) {
    at(minute);
    ask('192.0.2.9', '', missing);
  }

  expect(view.tell()).toMatchObject({
    isDead: true,
    message: expect.stringMatching(/bootstrap asks .* for openshift\/release@sha256:gone again/),
    hint: expect.stringContaining('atoll up --only images'),
  });
});

test('InstallView forgets what was refused once the machine gets it', () => {
  const { view, at, ask } = watched();
  for (const minute of [0, 1, 2]) {
    at(minute);
    ask('192.0.2.9', '', { status: 404, digest: undefined, reference: 'sha256:e' });
  }
  ask('192.0.2.9', 'sha256:e');

  expect(view.tell()).toBeUndefined();
});

test('InstallView says that a login is wrong, and not that somebody asked without one first', () => {
  const { view, at, ask } = watched();
  for (const minute of [0, 1, 2, 3]) {
    at(minute);
    ask('192.0.2.10', '', { status: 401, digest: undefined });
  }
  expect(view.tell()).toBeUndefined();
  for (const minute of [4, 5, 6]) {
    at(minute);
    ask('192.0.2.10', '', { status: 401, digest: undefined, claimedUser: 'atoll' });
  }

  expect(view.tell()?.message).toMatch(/master-0 cannot log in .* as "atoll"/);
});

test.each([
  [
    'that nobody has come',
    ({ at }: ReturnType<typeof watched>) => at(16),
    'No machine has asked the mirror mirror.example:5000 for anything in 16m',
  ],
  [
    'that the API is away again',
    ({ view, at }: ReturnType<typeof watched>) => {
      view.saw(LOOK);
      at(2);
      view.saw(undefined);
    },
    'The Kubernetes API has not answered for 2m',
  ],
  [
    'why an operator is degraded',
    ({ view, at }: ReturnType<typeof watched>) => {
      const operators = [{ name: 'etcd', settled: false, degraded: '1 of 3 members' }];
      view.saw({ ...LOOK, operators });
      at(6);
      view.saw({ ...LOOK, operators });
    },
    'The operator etcd is degraded: 1 of 3 members',
  ],
  [
    'that a pool is stuck',
    ({ view, at }: ReturnType<typeof watched>) => {
      const stuckPools = [{ name: 'worker', why: 'Node worker-0 is reporting: disk full' }];
      view.saw({ ...LOOK, stuckPools });
      at(6);
      view.saw({ ...LOOK, stuckPools });
    },
    'The pool worker is degraded: Node worker-0 is reporting: disk full',
  ],
  [
    'that a machine never joins, and what is known of it',
    ({ view, at }: ReturnType<typeof watched>) => {
      view.saw({ ...LOOK, isBootstrapped: true });
      at(16);
      view.saw({ ...LOOK, isBootstrapped: true });
    },
    'worker-0 has not joined 16m 00s after the bootstrap: it never asked the mirror',
  ],
])('InstallView warns %s, once', (_, happen, words) => {
  const watching = watched();
  happen(watching);

  expect(watching.view.tell()).toBeUndefined();
  watching.view.tell();

  expect(watching.warnings()).toEqual([expect.stringContaining(words)]);
});
