import { expect, test } from 'vitest';
import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import { BOOTSTRAP_STEPS } from '../../openshift/bootstrap/steps.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { type Facts, noFacts } from './facts.ts';
import { createServiceFailures, type StepFacts, UNIT_FAILED } from './service-failures.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 7, 20, 10, minute));

type KnownOf = Readonly<Record<string, Partial<Facts>>>;

const known = (of: KnownOf, steps: readonly BootstrapStep[] = BOOTSTRAP_STEPS): StepFacts => ({
  steps,
  facts: new Map(
    Object.entries(of).map(([id, own]) => [id, { ...noFacts(), evidence: true, ...own }]),
  ),
});

interface Seen {
  /** When systemd said that bootkube failed. */
  readonly minute?: number;
  readonly listed?: boolean;
  readonly unit?: string;
  readonly records?: ReadonlyMap<string, readonly ServiceRecordEntry[]>;
}

function applied(before: StepFacts, seen: Seen): StepFacts {
  const { minute, listed = false, unit = 'bootkube', records = new Map() } = seen;
  const failures = createServiceFailures();
  if (listed) failures.add({ listed: unit }, undefined);
  else failures.add({ unit }, minute === undefined ? undefined : at(minute));
  return failures.applied(before, records);
}

const record = (
  service: string,
  ...phases: readonly Omit<ServiceRecordEntry, 'timestamp'>[]
): ReadonlyMap<string, readonly ServiceRecordEntry[]> => {
  const entries = phases.map((one, minute) => ({ timestamp: at(minute).toISOString(), ...one }));
  return new Map([[service, entries]]);
};
const dies = { phase: 'service end', result: 'failure' } as const;
const start = { phase: 'service start' } as const;

const RUNNING = { 'etcd-bootstrap': { startedAt: at(1), lastAt: at(1) } };

test('createServiceFailures has the step fail that the service was at', () => {
  const before = known({ 'api-bootstrap': { finishedAt: at(0) }, ...RUNNING });

  const { steps, facts } = applied(before, { minute: 2 });

  expect(steps).toEqual(BOOTSTRAP_STEPS);
  expect(facts.get('etcd-bootstrap')).toEqual({
    ...before.facts.get('etcd-bootstrap'),
    failedAt: at(2),
    serviceFailed: true,
  });
  expect(facts.get('api-bootstrap')).toEqual(before.facts.get('api-bootstrap'));
});

test('createServiceFailures has the service itself fail where its last stage is done, or none began', () => {
  const done = applied(known({ 'etcd-bootstrap': { finishedAt: at(1) } }), { minute: 2 });
  const unseen = applied(known({}), { minute: 2 });

  for (const { facts } of [done, unseen])
    expect(facts.get('bootkube.service')).toEqual({
      ...noFacts(),
      evidence: true,
      failedAt: at(2),
      serviceFailed: true,
    });
  const ids = done.steps.map(({ id }) => id);
  expect(ids.indexOf('bootkube.service')).toBe(ids.indexOf('etcd-bootstrap') + 1);
  expect(done.facts.get('etcd-bootstrap')).not.toHaveProperty('serviceFailed');
});

test('createServiceFailures has the one step of a service fail, though it had been done before', () => {
  const before = known({ 'release-image': { finishedAt: at(1), lastAt: at(1) } });

  expect(
    applied(before, { minute: 2, unit: 'release-image' }).facts.get('release-image'),
  ).toMatchObject({ failedAt: at(2), serviceFailed: true });
});

test('createServiceFailures has the one step of a service fail, though nothing told that it began', () => {
  const { steps, facts } = applied(known(RUNNING), { minute: 2, unit: 'crio' });

  expect(steps).toEqual(BOOTSTRAP_STEPS);
  expect(facts.get('crio')).toEqual({
    ...noFacts(),
    evidence: true,
    failedAt: at(2),
    serviceFailed: true,
  });
});

const unknownStep = ({ steps }: StepFacts, unit: string) =>
  steps.find(({ id }) => id === `${unit}.service`);

test('createServiceFailures adds a unit that has no step, and has nothing wait for it', () => {
  const timed = applied(known(RUNNING), { minute: 2, unit: 'my.frob@1' });
  const listed = applied(known(RUNNING), { listed: true, unit: 'frob' });

  expect(unknownStep(timed, 'my.frob@1')).toMatchObject({ tolerated: true, parallel: true });
  expect(timed.facts.get('my.frob@1.service')).toEqual({
    ...noFacts(),
    evidence: true,
    startedAt: at(2),
    failedAt: at(2),
    serviceFailed: true,
  });
  expect(listed.facts.get('frob.service')).toEqual({
    ...noFacts(),
    evidence: true,
    serviceFailed: true,
  });
});

test('createServiceFailures has the bootstrap wait for a unit of its own, until something went on', () => {
  const unit = 'node-image-finish';
  const kubelet = (minute: number) => known({ kubelet: { lastAt: at(minute) } });

  expect(unknownStep(applied(kubelet(1), { minute: 2, unit }), unit)).not.toHaveProperty(
    'tolerated',
  );
  expect(unknownStep(applied(kubelet(3), { minute: 2, unit }), unit)).toMatchObject({
    tolerated: true,
  });
});

test('createServiceFailures tells of units that have no step in the order they failed in', () => {
  const failures = createServiceFailures();
  failures.add({ unit: 'late' }, at(5));
  failures.add({ unit: 'early' }, at(2));
  failures.add({ unit: 'well' }, at(1));
  failures.add({ ended: 'well' }, at(2));
  failures.add({ ended: 'late' }, at(4));
  failures.add({ ended: 'bootkube' }, at(9));

  const { steps } = failures.applied(known(RUNNING), new Map());

  expect(steps.filter((one) => !BOOTSTRAP_STEPS.includes(one)).map(({ id }) => id)).toEqual([
    'early.service',
    'late.service',
  ]);
});

test('createServiceFailures leaves a unit that has no step to its record, where that tells of the failure', () => {
  const records = record('frob', start, dies);
  const { steps } = applied(known(RUNNING), { minute: 2, unit: 'frob', records });

  expect(steps.filter(({ id }) => id === 'frob.service')).toHaveLength(1);
  expect(
    unknownStep(
      applied(known(RUNNING), { minute: 2, unit: 'frob', records: record('frob', start) }),
      'frob',
    ),
  ).toBeDefined();
});

test('createServiceFailures does not keep ever new units', () => {
  const failures = createServiceFailures();
  for (let index = 0; index < 100; index += 1) failures.add({ unit: `u${index}` }, at(2));

  const { steps } = failures.applied(known(RUNNING), new Map());

  expect(steps.length - BOOTSTRAP_STEPS.length).toBe(50);
});

test.each([
  ["systemd[1]: my-frob@1.service: Failed with result 'exit-code'.", { unit: 'my-frob@1' }],
  ["a.b\\x2dc:d.service: Failed with result 'timeout'.", { unit: 'a.b\\x2dc:d' }],
  ['● a.b.service loaded failed failed A thing', { listed: 'a.b' }],
  ['systemd[1]: frob.service: Deactivated successfully.', { ended: 'frob' }],
  ['systemd[1]: frob.service: Main process exited, code=exited', {}],
])('UNIT_FAILED reads %s', (text, groups) => {
  const found = new RegExp(UNIT_FAILED.pattern, 'i').exec(text)?.groups ?? {};

  expect(Object.fromEntries(Object.entries(found).filter(([, name]) => name))).toEqual(groups);
});

test('createServiceFailures does not blame a stage whose failure is tolerated', () => {
  const before = known({ ...RUNNING, 'resolve-api-url': { failedAt: at(1), lastAt: at(1) } });

  const { facts } = applied(before, { minute: 2 });

  expect(facts.get('etcd-bootstrap')).toMatchObject({ serviceFailed: true });
  expect(facts.get('resolve-api-url')).not.toHaveProperty('serviceFailed');
});

test('createServiceFailures takes a list of failed units for the end, which has no time', () => {
  const { facts } = applied(known({ 'etcd-bootstrap': { startedAt: at(1), lastAt: at(99) } }), {
    listed: true,
  });

  expect(facts.get('etcd-bootstrap')).toMatchObject({ serviceFailed: true });
  expect(facts.get('etcd-bootstrap')).not.toHaveProperty('failedAt');
});

test('createServiceFailures counts the last failure of several', () => {
  const failures = createServiceFailures();
  failures.add({ unit: 'bootkube' }, at(5));
  failures.add({ unit: 'bootkube' }, at(2));
  failures.add({ unit: 'bootkube' }, undefined);

  const { facts } = failures.applied(known(RUNNING), new Map());

  expect(facts.get('etcd-bootstrap')).toMatchObject({ failedAt: at(5) });
});

test.each<[string, Seen & { facts?: KnownOf }]>([
  ['the failure has no time', {}],
  ['the unit has no step and nothing tells of a bootstrap', { minute: 2, unit: 'a', facts: {} }],
  ['podman asked a container how it is', { minute: 2, unit: `${'0a'.repeat(32)}-7f` }],
  ['a sign of the service is newer', { minute: 2, facts: { 'etcd-bootstrap': { lastAt: at(3) } } }],
  [
    'a sign of what comes after the service is newer',
    { minute: 2, facts: { ...RUNNING, 'report-bootstrap-complete': { lastAt: at(3) } } },
  ],
  [
    'its record goes on after it',
    {
      minute: 2,
      records: new Map([
        ['bootkube', [{ timestamp: at(3).toISOString(), phase: 'service start' as const }]],
      ]),
    },
  ],
  [
    'the bootstrap is complete',
    { minute: 9, facts: { 'report-bootstrap-complete': { finishedAt: at(3) } } },
  ],
])('createServiceFailures changes nothing where %s', (_, { facts = RUNNING, ...seen }) => {
  const before = known(facts);

  expect(applied(before, seen)).toEqual(before);
});

test.each<[string, KnownOf]>([
  ['comes before the service', { kubelet: { lastAt: at(9) } }],
  ['goes on beside the others', { 'wait-for-bootstrap-complete': { lastAt: at(9) } }],
  ['is as old as the failure', { 'report-bootstrap-complete': { lastAt: at(2) } }],
])('createServiceFailures is not held back by a sign of a step that %s', (_, facts) => {
  const result = applied(known({ ...RUNNING, ...facts }), { minute: 2 });

  expect(result.facts.get('etcd-bootstrap')).toMatchObject({ serviceFailed: true });
});

const ofRecord = (records: ReadonlyMap<string, readonly ServiceRecordEntry[]>) =>
  createServiceFailures().applied(known(RUNNING), records);

test('createServiceFailures adds a service that its record says failed between stages', () => {
  const { steps, facts } = ofRecord(record('bootkube', start, dies));
  const ids = steps.map(({ id }) => id);

  expect(ids.indexOf('bootkube.service')).toBe(ids.indexOf('etcd-bootstrap') + 1);
  expect(facts.get('bootkube.service')).toMatchObject({ failedAt: at(1), serviceFailed: true });
});

test('createServiceFailures does not take a service that is started again for gone', () => {
  const { facts } = ofRecord(record('bootkube', start, dies, start));

  expect(facts.get('bootkube.service')).toMatchObject({ startedAt: at(1), lastLoopAt: at(1) });
  expect(facts.get('bootkube.service')).not.toHaveProperty('serviceFailed');
});

test('createServiceFailures leaves a service that is one step to that step', () => {
  const { steps } = ofRecord(record('release-image', start, dies));

  expect(steps).toEqual(BOOTSTRAP_STEPS);
});

test('createServiceFailures looks behind a failure that is tolerated, and at no other', () => {
  const ending = (stage: string) =>
    ofRecord(record('bootkube', { phase: 'stage end', stage, result: 'failure' }, dies));

  expect(ending('resolve-api-url').facts.has('bootkube.service')).toBe(true);
  expect(ending('etcd-bootstrap').facts.has('bootkube.service')).toBe(false);
});
