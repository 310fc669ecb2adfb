import { expect, test } from 'vitest';
import { BOOTSTRAP_STEPS } from '../../openshift/bootstrap/steps.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { withServiceStep, withUnknownStages, withUnknownUnit } from './extra-steps.ts';

const KNOWN = BOOTSTRAP_STEPS.map(({ id }) => id);

const begun = (...stages: readonly (string | undefined)[]): ServiceRecordEntry[] =>
  stages.map((stage) => ({ timestamp: '2026-08-20T10:00:00Z', phase: 'stage start', stage }));

const withStages = (service: string, ...stages: readonly (string | undefined)[]) =>
  withUnknownStages(BOOTSTRAP_STEPS, new Map([[service, begun(...stages)]]));

/** What was added, each with what stands before it. */
const added = (steps: ReturnType<typeof withStages>) =>
  steps.flatMap(({ id }, index) => (KNOWN.includes(id) ? [] : [[steps[index - 1]?.id, id]]));

test('withUnknownStages leaves alone what the records hold nothing new about', () => {
  expect(withStages('bootkube', 'api-bootstrap', undefined, 'etcd-bootstrap')).toEqual(
    BOOTSTRAP_STEPS,
  );
  expect(withUnknownStages(BOOTSTRAP_STEPS, new Map())).toEqual(BOOTSTRAP_STEPS);
});

test('withUnknownStages puts an unknown stage after the one it came after', () => {
  expect(added(withStages('bootkube', 'etcd-bootstrap', 'new'))).toEqual([
    ['etcd-bootstrap', 'new'],
  ]);
  expect(added(withStages('bootkube', 'etcd-bootstrap', 'new', 'newer', 'new'))).toEqual([
    ['etcd-bootstrap', 'new'],
    ['new', 'newer'],
  ]);
});

test('withUnknownStages puts an unknown stage that came first before the steps of its service', () => {
  expect(added(withStages('bootkube', 'new', 'api-bootstrap'))).toEqual([['kubelet', 'new']]);
});

test('withUnknownStages describes a stage of a service it knows as part of the sequence', () => {
  const steps = withStages('bootkube', 'new');

  expect(steps.find(({ id }) => id === 'new')).toEqual({
    id: 'new',
    title: 'new (a stage of bootkube)',
    lane: 'bootkube',
    part: 1,
    limitMinutes: 10,
    waitsFor: 'what its logs say',
    service: 'bootkube',
    stage: 'new',
  });
});

test('withUnknownStages describes a stage of a service it does not know as one beside the others, before the end', () => {
  const steps = withStages('site-hook', 'load');
  const before = KNOWN[KNOWN.indexOf('bootkube-complete') - 1];

  expect(added(steps)).toEqual([[before, 'load']]);
  expect(steps.find(({ id }) => id === 'load')).toMatchObject({ lane: 'System', parallel: true });
});

test('withUnknownStages counts a stage in the abstract step and the lane of its service', () => {
  const found = (service: string, ...stages: string[]) =>
    withStages(service, ...stages).find(({ id }) => id === 'new');

  expect(found('bootkube', 'cvo-bootstrap', 'new')).toMatchObject({ part: 1, lane: 'bootkube' });
  expect(found('bootkube', 'etcd-bootstrap', 'new')).toMatchObject({ part: 2, lane: 'bootkube' });
  // The looks at API names belong to no abstract step.
  expect(found('bootkube', 'check-api-url', 'new')).toMatchObject({ part: 5 });
  expect(found('progress', 'new')).toMatchObject({ part: 7, lane: 'System' });
  expect(found('site-hook', 'new')).not.toHaveProperty('part');
});

test('withUnknownStages takes any stage of a service that is one step for known', () => {
  expect(added(withStages('release-image', 'pull-release-image'))).toEqual([]);
});

test('withUnknownStages finds a place where the step it came after does not happen', () => {
  const without = BOOTSTRAP_STEPS.filter(({ id }) => id !== 'etcd-bootstrap');
  const steps = withUnknownStages(without, new Map([['bootkube', begun('etcd-bootstrap', 'new')]]));

  expect(added(steps)).toEqual([['cvo-bootstrap', 'new']]);
});

test('withUnknownStages shows no name that is longer than a line', () => {
  const steps = withStages('s'.repeat(200), 'n'.repeat(200));
  const step = steps.find(({ id }) => !KNOWN.includes(id));

  expect(step?.title).toBe(`${'n'.repeat(80)} (a stage of ${'s'.repeat(80)})`);
});

test('withServiceStep adds the service itself, after what is given or before its first step', () => {
  expect(added(withServiceStep(BOOTSTRAP_STEPS, 'bootkube', 'api-bootstrap'))).toEqual([
    ['api-bootstrap', 'bootkube.service'],
  ]);
  expect(added(withServiceStep(BOOTSTRAP_STEPS, 'bootkube', undefined))).toEqual([
    ['kubelet', 'bootkube.service'],
  ]);
  expect(
    withServiceStep(BOOTSTRAP_STEPS, 'bootkube', undefined).find(
      ({ id }) => id === 'bootkube.service',
    ),
  ).toMatchObject({ title: 'bootkube.service', service: 'bootkube' });
  expect(withServiceStep([], 'x'.repeat(100), undefined)[0]?.title).toBe('x'.repeat(80));
});

test('withUnknownUnit adds a unit beside the others, before the end', () => {
  const before = KNOWN[KNOWN.indexOf('bootkube-complete') - 1];
  const steps = withUnknownUnit(BOOTSTRAP_STEPS, 'frob', true);

  expect(added(steps)).toEqual([[before, 'frob.service']]);
  expect(steps.find(({ id }) => id === 'frob.service')).toMatchObject({
    title: 'frob.service',
    lane: 'System',
    parallel: true,
    tolerated: true,
  });
  expect(
    withUnknownUnit(BOOTSTRAP_STEPS, 'frob', false).find(({ id }) => id === 'frob.service'),
  ).not.toHaveProperty('tolerated');
});
