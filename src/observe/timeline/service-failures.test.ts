import { expect, test } from 'vitest';
import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import { BOOTSTRAP_STEPS } from '../../openshift/bootstrap/steps.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { type Facts, noFacts } from './facts.ts';
import { createServiceFailures, type StepFacts } from './service-failures.ts';

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
  ['the service is none of a bootstrap', { minute: 2, unit: 'chronyd' }],
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

const record = (
  service: string,
  ...phases: readonly Omit<ServiceRecordEntry, 'timestamp'>[]
): ReadonlyMap<string, readonly ServiceRecordEntry[]> => {
  const entries = phases.map((one, minute) => ({ timestamp: at(minute).toISOString(), ...one }));
  return new Map([[service, entries]]);
};
const dies = { phase: 'service end', result: 'failure' } as const;
const start = { phase: 'service start' } as const;

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
