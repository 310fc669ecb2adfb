import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  installerLog,
  logBundle,
  logBundleArchive,
  type Scenario,
  writeLogBundle,
} from '../../../test/support/log-bundle.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { formatJournalExport } from '../formats/journal-export.ts';
import { readTimeline, type TimelineReport } from './read-timeline.ts';
import { createTimeline } from './timeline.ts';

/** Dates without a year end here: the tests hold in any year. */
const now = () => new Date('2026-08-21T00:00:00Z');

async function timelineOf(scenario: Scenario): Promise<TimelineReport> {
  const path = join(await tempDir(), 'log-bundle.tar.gz');
  await writeFile(path, await logBundleArchive(logBundle(scenario)));
  return readTimeline(silentContext({ now }), [path]);
}

const step = (report: TimelineReport, id: string) => report.steps.find((one) => one.id === id);
const numbers = (report: TimelineReport) => report.abstract.map(({ state }) => state);

test('readTimeline calls a healthy bootstrap complete', async () => {
  const report = await timelineOf('healthy');

  expect(report.verdict).toBe('complete');
  expect(report.steps.filter(({ state }) => !['done', 'unseen'].includes(state))).toEqual([]);
  expect(step(report, 'wait-for-etcd')).toMatchObject({ state: 'done', durationMs: 20_000 });
  expect(numbers(report)).toEqual([
    ...['done', 'done', 'done', 'done', 'done', 'done', 'done'],
    ...['unseen', 'unseen', 'unseen'],
  ]);
});

test('readTimeline finishes the last steps from the log of the installer', async () => {
  const directory = await tempDir();
  await writeLogBundle(directory, logBundle('healthy'));
  await writeFile(join(directory, '.openshift_install.log'), installerLog());

  const report = await readTimeline(silentContext({ now }), [directory]);

  expect(numbers(report)).toEqual(Array(10).fill('done'));
  expect(step(report, 'operators')).toMatchObject({ durationMs: 15 * 60_000 });
});

test('readTimeline finds a bootstrap stuck in node-image-pull, which never reports a failure', async () => {
  const report = await timelineOf('node-image-pull');

  expect(report).toMatchObject({ verdict: 'stuck', current: 'node-image-pull' });
  const pull = step(report, 'node-image-pull');
  expect(pull).toMatchObject({ state: 'stuck', tries: 240 });
  expect(pull?.lastError).toContain('x509: certificate signed by unknown authority');
  expect(step(report, 'release-image')?.state).toBe('waiting');
  expect(numbers(report)[0]).toBe('stuck');
});

test('readTimeline finds an API that never comes up', async () => {
  const report = await timelineOf('api-never-up');

  expect(report).toMatchObject({ verdict: 'stuck', current: 'temporary-control-plane' });
  expect(step(report, 'wait-for-etcd')?.state).toBe('done');
  expect(step(report, 'temporary-control-plane')?.waitsFor).toContain('kube-apiserver static pod');
  expect(step(report, 'cb-bootstrap')).toMatchObject({
    state: 'running',
    waitsFor: 'Temporary control plane up',
  });
  expect(numbers(report).slice(0, 4)).toEqual(['done', 'stuck', 'waiting', 'running']);
});

test('readTimeline finds etcd that is never handed over', async () => {
  const report = await timelineOf('etcd-never-handed-over');

  expect(report).toMatchObject({ verdict: 'stuck', current: 'wait-for-ceo' });
  expect(step(report, 'wait-for-ceo')).toMatchObject({ state: 'stuck', tries: 45 });
  expect(step(report, 'cvo-overrides')?.state).toBe('done');
  expect(numbers(report).slice(0, 5)).toEqual(['done', 'done', 'done', 'done', 'stuck']);
});

test('createTimeline does not depend on the order of observations', () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 7, 20, 10, minute));
  const line = (minute: number, text: string) => ({
    kind: 'line' as const,
    origins: ['journal:bootstrap/bootkube'],
    text,
    at: at(minute),
  });
  const observations = [
    line(1, 'Starting cluster-bootstrap...'),
    line(3, 'API is up'),
    line(4, 'Pod Status:openshift-kube-apiserver/kube-apiserver Pending'),
    line(9, 'Pod Status:openshift-kube-apiserver/kube-apiserver Ready'),
  ];

  const [there, back] = [observations, observations.toReversed()].map((list) => {
    const timeline = createTimeline();
    for (const observation of list) timeline.push(observation);
    return timeline.state(at(10));
  });

  expect(back).toEqual(there);
});

test('createTimeline calls a step stuck only once its time is over', () => {
  const timeline = createTimeline();
  const start = new Date('2026-08-20T10:00:00Z');
  timeline.push({
    kind: 'line',
    origins: ['journal:bootstrap/node-image-pull'],
    text: 'Failed to query MCO image from release; retrying...',
    at: start,
  });

  const after = (minutes: number) => timeline.state(new Date(start.getTime() + minutes * 60_000));

  expect(after(5)).toMatchObject({ verdict: 'running', current: 'node-image-pull' });
  expect(after(11)).toMatchObject({ verdict: 'stuck', current: 'node-image-pull' });
});

test('createTimeline names the pods the production control plane waits for', () => {
  const timeline = createTimeline();
  const entries = [
    { timestamp: '2026-08-20T10:00:00Z', phase: 'stage start' as const, stage: 'cb-bootstrap' },
  ];
  timeline.push({ kind: 'record', service: 'bootkube', entries });
  for (const [pod, state] of [
    ['a/ready', 'Ready'],
    ['b/kube-scheduler', 'RunningNotReady'],
  ]) {
    const text = `Pod Status:${pod}\t${state}`;
    timeline.push({ kind: 'line', origins: ['journal:bootstrap/bootkube'], text });
  }

  const steps = timeline.state(new Date('2026-08-20T10:10:00Z')).steps;

  expect(steps.find(({ id }) => id === 'cb-bootstrap')).toMatchObject({
    state: 'running',
    waitsFor: 'b/kube-scheduler (RunningNotReady)',
  });
});

test('createTimeline says nothing where nothing was seen', () => {
  expect(createTimeline().state(new Date()).verdict).toBe('unknown');
});

test('readTimeline follows bootkube by its words where no service record is there', async () => {
  const words = [
    'Rendering Cluster Version Operator Manifests...',
    'Rendering CEO Manifests...',
    'Rendering MCO manifests...',
    'etcdctl failed. Retrying in 5 seconds...',
  ];
  const entry = (minute: number, message: string, unit = 'bootkube') => ({
    at: new Date(Date.UTC(2026, 7, 20, 10, minute)),
    host: 'bootstrap',
    unit: `${unit}.service`,
    program: unit,
    pid: 1,
    message,
  });
  const entries = [
    ...words.map((message, minute) => entry(minute, message)),
    entry(12, 'Nothing that a timeline knows', 'kubelet'),
  ];
  const path = join(await tempDir(), 'journal.export');
  await writeFile(path, Buffer.concat(entries.map(formatJournalExport)));

  const report = await readTimeline(silentContext({ now }), [path]);

  expect(report).toMatchObject({ verdict: 'stuck', current: 'wait-for-etcd' });
  expect(step(report, 'etcd-bootstrap')).toMatchObject({ state: 'done', implied: true });
});

const JOURNAL_LINES = [
  'Aug 20 00:10:42 bootstrap bootkube.sh[2100]: Moving OpenShift manifests in with the rest of them',
  'Aug 20 00:15:42 bootstrap bootkube.sh[2100]: Rendering api manifests...',
  'Aug 20 00:18:42 bootstrap bootkube.sh[2100]: Rendering auth api manifests...',
];

test.each(['2026-08-20T00:20:42Z', '2026-08-20T03:20:42Z', '2027-01-01T00:00:00Z'])(
  'readTimeline reads the same from a file that was last written at %s',
  async (modified) => {
    const path = join(await tempDir(), 'journal.log');
    await writeFile(path, `${JOURNAL_LINES.join('\n')}\n`);
    await utimes(path, new Date(modified), new Date(modified));

    const report = await readTimeline(silentContext({ now }), [path]);

    expect(report).toMatchObject({
      verdict: 'running',
      current: 'auth-api-bootstrap',
      at: '2026-08-20T00:18:42.000Z',
    });
  },
);

test('readTimeline takes the last line of the evidence for its end, whatever it says', async () => {
  const path = join(await tempDir(), 'journal.log');
  const last = 'Aug 20 03:18:42 bootstrap kubenswrapper[2519]: Nothing that a timeline knows';
  await writeFile(path, `${[...JOURNAL_LINES, last].join('\n')}\n`);

  const report = await readTimeline(silentContext({ now }), [path]);

  expect(report).toMatchObject({ verdict: 'stuck', current: 'auth-api-bootstrap' });
});

/** The timeline of a text journal of the bootstrap machine. */
async function journalOf(...lines: readonly string[]): Promise<TimelineReport> {
  const path = join(await tempDir(), 'journal.log');
  await writeFile(path, lines.map((line) => `Aug 20 ${line}\n`).join(''));
  return readTimeline(silentContext({ now }), [path]);
}

const RELEASE_IMAGE = [
  '10:30:01 bootstrap systemd[1]: Starting Download the OpenShift Release Image...',
  '10:30:09 bootstrap systemd[1]: Finished Download the OpenShift Release Image.',
];

test('readTimeline shows every service that failed as failed, in its lane and its abstract step', async () => {
  const report = await journalOf(
    ...RELEASE_IMAGE,
    "10:38:20 bootstrap systemd[1]: bootkube.service: Failed with result 'exit-code'.",
    "10:38:23 bootstrap systemd[1]: frob.service: Failed with result 'exit-code'.",
    "10:38:25 bootstrap systemd[1]: crio.service: Failed with result 'exit-code'.",
  );

  expect(report).toMatchObject({ verdict: 'failed', current: 'crio' });
  expect(numbers(report)[0]).toBe('failed');
  const failed = report.steps.filter(({ state }) => state === 'failed');
  expect(failed.map(({ id, lane }) => [id, lane])).toEqual([
    ['crio', 'CRI-O'],
    ['bootkube.service', 'bootkube'],
    ['frob.service', 'System'],
  ]);
});

test('readTimeline does not take a pull for done that fails to the last, nor what needs it', async () => {
  const error =
    'bootstrap node-image-pull.sh[1720]: Error: initializing source docker://quay.io/x: i/o timeout';
  const report = await journalOf(...RELEASE_IMAGE, `10:30:40 ${error}`, `10:50:40 ${error}`);

  expect(report).toMatchObject({ verdict: 'stuck', current: 'node-image-pull' });
  expect(step(report, 'ignition')).toMatchObject({ state: 'done', implied: true });
  expect(step(report, 'node-image-overlay')?.state).toBe('waiting');
  expect(step(report, 'release-image')?.state).toBe('done');
});
